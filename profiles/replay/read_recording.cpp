#include "profiles/replay/read_recording.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <unordered_map>
#include <utility>

#include "profiles/replay/routes.hpp"
#include "profiles/replay/shares.hpp"
#include "rts/inline/error.hpp"
#include "rts/trace/recording.hpp"

namespace replay {
namespace {

namespace format = trawl::trace::recording;
using trawl::BadBytes;
using trawl::trace::Did;

std::string printable(std::string_view text) {
  std::string plain(text);
  for (char& c : plain)
    if (c < ' ' || c > '~') c = '?';
  return plain;
}

/// Makes a graph of what is told, event by event. Throws BadBytes for what makes no sense.
class Builder {
 public:
  explicit Builder(Grain grain) : grain_(grain) { open_.emplace_back(); }

  void tell(Did what, const std::uint64_t* numbers) {
    if (open_.empty()) throw BadBytes("something follows the end of the root");
    switch (what) {
      case Did::work:
        return work(numbers[0]);
      case Did::spawn:
        return offer(Step::spawn, numbers[0]);
      case Did::par:
        return offer(Step::par, numbers[0]);
      case Did::sync:
        return need(Step::sync, numbers[0], numbers[1], numbers[2]);
      case Did::force:
        return need(Step::force, numbers[0], numbers[1], numbers[2]);
      case Did::eval:
        name(Step::eval);
        return need(Step::eval, 1, numbers[0], numbers[1]);
      case Did::end:
        return end(numbers[0]);
      case Did::refer:
        return refer(numbers[0]);
    }
  }

  /// Of functions 1, 2, ..., each with a zero byte behind it.
  void names(std::string_view all) {
    if (!open_.empty()) throw BadBytes("names come before the root ends");
    if (!graph_.functions.empty()) throw BadBytes("names come twice");
    graph_.functions.emplace_back("root");
    while (!all.empty()) {
      const auto end = all.find('\0');
      if (end > format::longest_function) throw BadBytes("a function's name is too long");
      graph_.functions.push_back(printable(all.substr(0, end)));
      all.remove_prefix(end + 1);
    }
  }

  void sites(std::string file, std::string build, std::vector<Site> all) {
    if (!open_.empty()) throw BadBytes("sites come before the root ends");
    if (!graph_.sites.empty()) throw BadBytes("sites come twice");
    graph_.file = std::move(file);
    graph_.build = std::move(build);
    graph_.sites = std::move(all);
    graph_.sites.insert(graph_.sites.begin(), Site());
  }

  void shared(Plain<std::uint64_t> bytes) {
    if (!open_.empty()) throw BadBytes("shared values come before the root ends");
    if (!graph_.values.empty()) throw BadBytes("shared values come twice");
    graph_.values = std::move(bytes);
  }

  Graph take() {
    if (!open_.empty()) throw BadBytes("it ends before its root does");
    if (graph_.functions.empty()) graph_.functions.emplace_back("root");
    if (graph_.sites.empty()) graph_.sites.emplace_back();
    for (auto& task : graph_.tasks) {
      if (task.function >= graph_.functions.size()) task.function = 0;
      if (task.site >= graph_.sites.size()) task.site = 0;
    }
    for (const auto& named : named_) graph_.not_needed += named.done == none;
    renumber();
    route(graph_);
    share(graph_, std::move(references_));
    return std::move(graph_);
  }

 private:
  static constexpr Number none = ~Number{0};
  static constexpr Number begun = none - 1;
  static constexpr Number in_place = none - 2;  // it is no task any more
  static constexpr std::uint64_t most_functions = format::most_block;

  struct Open {
    Number task = 0;        // by its number in the file
    std::size_t first = 0;  // of its ops among those of open tasks
    std::uint32_t arguments = 0;
    Number function = 0;
    std::uint32_t referred = 0;  // shared values
    // When it began:
    Number named = 0;       // tasks
    std::size_t done = 0;   // those in the graph
    std::uint64_t ops = 0;  // theirs
    std::int64_t left = 0;  // sparks that nobody had forced
    Nanos sum = 0;          // all work
    bool concerns = false;  // others: it has forced a spark that it did not make
  };
  /// Sparks that may become one: of one function, by one maker, for one who forces them.
  struct Group {
    Number maker = none, function = 0;
    Number head = 0;  // in the graph
    std::uint32_t size = 0;
  };
  struct Named {
    Number by;  // who named it
    Step step;  // spawn, par, or eval
    std::uint16_t site;
    Number done;  // its number in the graph
  };

  void work(std::uint64_t time) {
    if (time == 0 || time > static_cast<std::uint64_t>(format::longest_work))
      throw BadBytes("a piece of work takes no time, or too long");
    sum_ += static_cast<Nanos>(time);
    if (sum_ > Nanos{1} << 60U) throw BadBytes("all work takes too long");
    const bool goes_on = ops_.size() > open_.back().first && ops_.back().step() == Step::work;
    if (!goes_on) return ops_.push_back(Op::work(static_cast<Nanos>(time)));
    ops_.back() = Op::work(ops_.back().time() + static_cast<Nanos>(time));
  }

  void offer(Step step, std::uint64_t site) {
    if (site > format::most_sites) throw BadBytes("there is no such site");
    name(step, static_cast<std::uint16_t>(site));
    ops_.push_back(Op(step, newest()));
  }

  void name(Step step, std::uint16_t site = 0) {
    if (named_.size() + 2 >= format::most_tasks) throw BadBytes("it has too many tasks");
    left_ += step != Step::eval;
    named_.push_back({open_.back().task, step, site, none});
  }
  // The root is 0, and not in named_.
  Number newest() const { return static_cast<Number>(named_.size()); }

  void need(Step step, std::uint64_t back, std::uint64_t arguments, std::uint64_t function) {
    if (back == 0 || back > named_.size()) throw BadBytes("it needs a task that there is not");
    const auto task = static_cast<Number>(named_.size() - back + 1);
    auto& named = named_[task - 1];
    const auto made = step == Step::sync ? Step::spawn : step == Step::force ? Step::par : step;
    if (named.step != made) throw BadBytes("a task is needed as another kind than it is");
    if (named.done != none) throw BadBytes("a task begins twice");
    if (made == Step::spawn && named.by != open_.back().task)
      throw BadBytes("a call is synced by another than its spawner");
    if (arguments > format::most_bytes) throw BadBytes("arguments are too large");
    named.done = begun;
    left_ -= step != Step::eval;
    for (auto open = open_.rbegin(); open != open_.rend() && open->named >= task; ++open)
      open->concerns = true;
    ops_.push_back(Op(step, task));
    if (function > most_functions) throw BadBytes("there is no such function");
    open_.push_back({task, ops_.size(), static_cast<std::uint32_t>(arguments),
                     static_cast<Number>(function), 0, newest(), graph_.tasks.size(),
                     graph_.ops.size(), left_, sum_});
  }

  void refer(std::uint64_t value) {
    auto& open = open_.back();
    if (open.task == 0 || ops_.size() != open.first)
      throw BadBytes("a value is given to a task that has begun to work");
    if (value == 0 || value > format::most_shared) throw BadBytes("there is no such value");
    if (++open.referred > format::most_referred) throw BadBytes("a task is given too many values");
    references_.push_back({open.task, static_cast<Number>(value - 1)});
  }

  void end(std::uint64_t result) {
    if (result > format::most_bytes) throw BadBytes("a result is too large");
    const Open open = open_.back();
    open_.pop_back();
    if (grain_.chunk > 1) groups_.erase(open.task);
    if (open.task != 0 && closed(open)) {
      if (sum_ - open.sum < grain_.cut_off) return evaluate_in_place(open);
      if (grain_.chunk > 1 && joined_group(open, static_cast<std::uint32_t>(result))) return;
    }
    Task task;
    if (open.task != 0) {
      auto& named = named_[open.task - 1];
      named.done = static_cast<Number>(graph_.tasks.size());
      task.site = named.site;
    }
    task.first = graph_.ops.size();
    task.ops = static_cast<Number>(ops_.size() - open.first);
    task.arguments = open.arguments;
    task.function = open.function;
    task.result = static_cast<std::uint32_t>(result);
    graph_.ops.insert(graph_.ops.end(), ops_.begin() + static_cast<std::ptrdiff_t>(open.first),
                      ops_.end());
    ops_.erase(ops_.begin() + static_cast<std::ptrdiff_t>(open.first), ops_.end());
    graph_.tasks.push_back(task);
  }

  /// Has nobody else to do with what is in it?
  bool closed(const Open& task) const { return !task.concerns && task.left == left_; }

  /// Forgets the task and all under it: the one that needs it does their work.
  void evaluate_in_place(const Open& task) {
    forget(task);
    if (const auto whole = sum_ - task.sum; whole > 0) {
      sum_ = task.sum;
      work(static_cast<std::uint64_t>(whole));
    }
  }

  void forget(const Open& task) {
    ops_.erase(ops_.begin() + static_cast<std::ptrdiff_t>(task.first - 1), ops_.end());
    graph_.tasks.erase(graph_.tasks.begin() + static_cast<std::ptrdiff_t>(task.done),
                       graph_.tasks.end());
    graph_.ops.erase(graph_.ops.begin() + static_cast<std::ptrdiff_t>(task.ops), graph_.ops.end());
    named_[task.task - 1].done = in_place;
  }

  static std::uint32_t together(std::uint64_t one, std::uint64_t other) {
    return static_cast<std::uint32_t>(std::min(one + other, format::most_bytes));
  }

  /// Has it become a part of one before it? Else it may be the first of some.
  bool joined_group(const Open& task, std::uint32_t result) {
    const bool leaf = ops_.size() == task.first + 1 && ops_.back().step() == Step::work;
    const auto& named = named_[task.task - 1];
    if (!leaf || named.step == Step::eval) return false;
    auto& group = groups_[open_.back().task];
    const bool fits =
        group.maker == named.by && group.function == task.function && group.size < grain_.chunk;
    if (!fits) {
      group = {named.by, task.function, static_cast<Number>(graph_.tasks.size()), 1};
      return false;
    }
    auto& head = graph_.tasks[group.head];
    auto& work = graph_.ops[head.first];
    work = Op::work(work.time() + ops_.back().time());
    head.arguments = together(head.arguments, task.arguments);
    head.result = together(head.result, result);
    ++group.size;
    forget(task);
    return true;
  }

  // By the order of their ends, and without what nobody needed.
  void renumber() {
    for (auto& reference : references_) reference.task = named_[reference.task - 1].done;
    std::erase_if(references_, [](const Reference& each) { return each.task >= in_place; });
    auto& ops = graph_.ops;
    std::uint64_t to = 0;
    for (auto& task : graph_.tasks) {
      const auto first = std::exchange(task.first, to);
      for (auto at = first; at < first + task.ops; ++at) {
        const Op op = ops[at];
        if (op.step() == Step::work) {
          ops[to++] = op;
        } else if (const auto done = named_[op.task() - 1].done; done < in_place) {
          ops[to++] = Op(op.step(), done);
        }
      }
      task.ops = static_cast<Number>(to - task.first);
    }
    ops.erase(ops.begin() + static_cast<std::ptrdiff_t>(to), ops.end());
  }

  Grain grain_;
  Graph graph_;
  std::unordered_map<Number, Group> groups_;  // the last of each task that forces some
  std::int64_t left_ = 0;                     // sparks that nobody has forced
  Plain<Op> ops_;                             // of open tasks
  Plain<Named> named_;
  Plain<Reference> references_;
  std::vector<Open> open_;
  Nanos sum_ = 0;
};

/// A file, in parts, and how far it has been read.
class File {
 public:
  explicit File(const std::string& name) : name_(name), in_(name, std::ios::binary) {
    if (!in_ || in_.peek() == std::ifstream::traits_type::eof())
      throw trawl::Error(
          "cannot read " + name + ": " + (errno != 0 ? std::strerror(errno) : "it is empty"), 2);
  }

  bool at_end() { return in_.peek() == std::ifstream::traits_type::eof(); }
  std::uint64_t at() const { return at_; }
  trawl::Bytes take(std::size_t size) {
    trawl::Bytes bytes(size);
    in_.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(size));
    if (static_cast<std::size_t>(in_.gcount()) != size) throw BadBytes("it is cut short");
    at_ += size;
    return bytes;
  }

 private:
  std::string name_;
  std::ifstream in_;
  std::uint64_t at_ = 0;
};

std::string read_header(File& file) {
  const auto bytes = file.take(format::header_size);
  trawl::Reader in(bytes);
  if (in.get<std::uint64_t>() != format::file_magic) throw BadBytes("this is no recording");
  if (const auto version = in.get<std::uint32_t>(); version != format::version)
    throw BadBytes("its format is " + std::to_string(version) + ", and not " +
                   std::to_string(format::version));
  const auto size = in.get<std::uint32_t>();
  if (size > format::longest_name) throw BadBytes("the program's name is too long");
  const auto name = file.take(size);
  return {reinterpret_cast<const char*>(name.data()), name.size()};
}

class Events {
 public:
  explicit Events(std::span<const std::byte> bytes) : bytes_(bytes) {}

  std::size_t at() const { return at_; }
  bool left() const { return at_ < bytes_.size(); }
  std::uint8_t kind() {
    const auto kind = static_cast<std::uint8_t>(bytes_[at_++]);
    if (kind >= trawl::trace::event_numbers.size()) throw BadBytes("there is no such event");
    return kind;
  }
  std::uint64_t number() {
    std::uint64_t n = 0;
    for (unsigned shift = 0; shift < 63; shift += 7) {
      if (!left()) throw BadBytes("an event is cut short");
      const auto byte = static_cast<std::uint64_t>(bytes_[at_++]);
      n |= (byte & 0x7FU) << shift;
      if (byte < 0x80) return n;
    }
    throw BadBytes("a number is too long");
  }
  /// Up to a zero byte.
  std::string text(std::size_t longest) {
    std::string text;
    while (left() && bytes_[at_] != std::byte{0}) {
      if (text.size() == longest) throw BadBytes("a path is too long");
      text += static_cast<char>(bytes_[at_++]);
    }
    if (!left()) throw BadBytes("a path is cut short");
    ++at_;
    return text;
  }

 private:
  std::span<const std::byte> bytes_;
  std::size_t at_ = 0;
};

void read_events(Events& events, Builder& builder) {
  while (events.left()) {
    const auto kind = events.kind();
    std::uint64_t numbers[3] = {};
    for (std::size_t i = 0; i < trawl::trace::event_numbers[kind]; ++i)
      numbers[i] = events.number();
    builder.tell(static_cast<Did>(kind), numbers);
  }
}

void read_sites(Events& events, Builder& builder) {
  auto file = events.text(format::longest_path);
  auto build = events.text(format::longest_name);
  std::vector<Site> sites;
  while (events.left()) {
    if (sites.size() == format::most_sites) throw BadBytes("it has too many sites");
    Site site;
    auto places = events.number();
    if (places > format::most_places) throw BadBytes("a site has too many places");
    for (; places != 0; --places) site.push_back(static_cast<std::uint32_t>(events.number()));
    sites.push_back(std::move(site));
  }
  builder.sites(std::move(file), std::move(build), std::move(sites));
}

void read_shared(Events& events, Builder& builder) {
  Plain<std::uint64_t> bytes;
  while (events.left()) {
    if (bytes.size() == format::most_shared) throw BadBytes("it has too many shared values");
    bytes.push_back(events.number());
    if (bytes.back() > format::most_bytes) throw BadBytes("a shared value is too large");
  }
  builder.shared(std::move(bytes));
}

void read_block(File& file, Builder& builder, std::uint64_t& place) {
  const auto head = file.take(format::block_header_size);
  trawl::Reader in(head);
  const auto magic = in.get<std::uint32_t>();
  if (magic != format::block_magic && magic != format::names_magic &&
      magic != format::sites_magic && magic != format::shared_magic)
    throw BadBytes("no block begins here");
  const auto size = in.get<std::uint32_t>();
  if (size == 0 || size > format::most_block) throw BadBytes("a block of an impossible size");
  const auto sum = in.get<std::uint64_t>();
  const auto begin = file.at();
  const auto bytes = file.take(size);
  if (format::checksum(bytes) != sum) throw BadBytes("this block is damaged");
  if (magic == format::names_magic)
    return builder.names({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  Events events(bytes);
  try {
    if (magic == format::sites_magic) return read_sites(events, builder);
    if (magic == format::shared_magic) return read_shared(events, builder);
    read_events(events, builder);
  } catch (const BadBytes&) {
    place = begin + events.at();
    throw;
  }
}

}  // namespace

Graph read_recording(const std::string& name, Grain grain) {
  errno = 0;
  File file(name);
  std::uint64_t place = 0;
  try {
    const auto program = read_header(file);
    Builder builder(grain);
    while (!file.at_end()) {
      place = file.at();
      read_block(file, builder, place);
    }
    place = file.at();
    auto graph = builder.take();
    graph.program = printable(program);
    return graph;
  } catch (const BadBytes& bad) {
    throw trawl::Error(name + ": byte " + std::to_string(place) + ": " + bad.what(), 2);
  } catch (const trawl::Error& trouble) {
    throw trawl::Error(name + ": " + trouble.what(), 2);
  } catch (const std::bad_alloc&) {
    throw trawl::Error(name + ": there is not enough memory for it", 1);
  }
}

}  // namespace replay
