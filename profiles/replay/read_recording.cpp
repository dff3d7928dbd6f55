#include "profiles/replay/read_recording.hpp"

#include <cerrno>
#include <cstring>
#include <fstream>
#include <utility>

#include "profiles/replay/routes.hpp"
#include "rts/inline/error.hpp"
#include "rts/trace/recording.hpp"

namespace replay {
namespace {

namespace format = trawl::trace::recording;
using trawl::BadBytes;
using trawl::trace::Did;

/// Makes a graph of what is told, event by event. Throws BadBytes for what makes no sense.
class Builder {
 public:
  Builder() { open_.push_back({0, 0, 0}); }

  void tell(Did what, const std::uint64_t* numbers) {
    if (open_.empty()) throw BadBytes("something follows the end of the root");
    switch (what) {
      case Did::work:
        return work(numbers[0]);
      case Did::spawn:
        return offer(Step::spawn);
      case Did::par:
        return offer(Step::par);
      case Did::sync:
        return need(Step::sync, numbers[0], numbers[1]);
      case Did::force:
        return need(Step::force, numbers[0], numbers[1]);
      case Did::eval:
        name(Step::eval);
        return need(Step::eval, 1, numbers[0]);
      case Did::end:
        return end(numbers[0]);
    }
  }

  Graph take() {
    if (!open_.empty()) throw BadBytes("it ends before its root does");
    for (const auto& named : named_) graph_.not_needed += named.done == none;
    renumber();
    route(graph_);
    return std::move(graph_);
  }

 private:
  static constexpr Number none = ~Number{0};
  static constexpr Number begun = none - 1;

  struct Open {
    Number task;        // by its number in the file
    std::size_t first;  // of its ops among those of open tasks
    std::uint32_t arguments;
  };
  struct Named {
    Number by;    // who named it
    Step step;    // spawn, par, or eval
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

  void offer(Step step) {
    name(step);
    ops_.push_back(Op(step, newest()));
  }

  void name(Step step) {
    if (named_.size() + 2 >= format::most_tasks) throw BadBytes("it has too many tasks");
    named_.push_back({open_.back().task, step, none});
  }
  // The root is 0, and not in named_.
  Number newest() const { return static_cast<Number>(named_.size()); }

  void need(Step step, std::uint64_t back, std::uint64_t arguments) {
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
    ops_.push_back(Op(step, task));
    open_.push_back({task, ops_.size(), static_cast<std::uint32_t>(arguments)});
  }

  void end(std::uint64_t result) {
    if (result > format::most_bytes) throw BadBytes("a result is too large");
    const Open open = open_.back();
    open_.pop_back();
    if (open.task != 0) named_[open.task - 1].done = static_cast<Number>(graph_.tasks.size());
    Task task;
    task.first = graph_.ops.size();
    task.ops = static_cast<Number>(ops_.size() - open.first);
    task.arguments = open.arguments;
    task.result = static_cast<std::uint32_t>(result);
    graph_.ops.insert(graph_.ops.end(), ops_.begin() + static_cast<std::ptrdiff_t>(open.first),
                      ops_.end());
    ops_.erase(ops_.begin() + static_cast<std::ptrdiff_t>(open.first), ops_.end());
    graph_.tasks.push_back(task);
  }

  // By the order of their ends, and without what nobody needed.
  void renumber() {
    auto& ops = graph_.ops;
    std::uint64_t to = 0;
    for (auto& task : graph_.tasks) {
      const auto first = std::exchange(task.first, to);
      for (auto at = first; at < first + task.ops; ++at) {
        const Op op = ops[at];
        if (op.step() == Step::work) {
          ops[to++] = op;
        } else if (const auto done = named_[op.task() - 1].done; done != none) {
          ops[to++] = Op(op.step(), done);
        }
      }
      task.ops = static_cast<Number>(to - task.first);
    }
    ops.erase(ops.begin() + static_cast<std::ptrdiff_t>(to), ops.end());
  }

  Graph graph_;
  Plain<Op> ops_;  // of open tasks
  Plain<Named> named_;
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
    if (kind > static_cast<std::uint8_t>(Did::end)) throw BadBytes("there is no such event");
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

 private:
  std::span<const std::byte> bytes_;
  std::size_t at_ = 0;
};

void read_events(Events& events, Builder& builder) {
  while (events.left()) {
    const auto kind = events.kind();
    std::uint64_t numbers[2] = {};
    for (std::size_t i = 0; i < trawl::trace::event_numbers[kind]; ++i)
      numbers[i] = events.number();
    builder.tell(static_cast<Did>(kind), numbers);
  }
}

void read_block(File& file, Builder& builder, std::uint64_t& place) {
  const auto head = file.take(format::block_header_size);
  trawl::Reader in(head);
  if (in.get<std::uint32_t>() != format::block_magic) throw BadBytes("no block begins here");
  const auto size = in.get<std::uint32_t>();
  if (size == 0 || size > format::most_block) throw BadBytes("a block of an impossible size");
  const auto sum = in.get<std::uint64_t>();
  const auto begin = file.at();
  const auto bytes = file.take(size);
  if (format::checksum(bytes) != sum) throw BadBytes("this block is damaged");
  Events events(bytes);
  try {
    read_events(events, builder);
  } catch (const BadBytes&) {
    place = begin + events.at();
    throw;
  }
}

}  // namespace

Graph read_recording(const std::string& name) {
  errno = 0;
  File file(name);
  std::uint64_t place = 0;
  try {
    auto program = read_header(file);
    Builder builder;
    while (!file.at_end()) {
      place = file.at();
      read_block(file, builder, place);
    }
    place = file.at();
    auto graph = builder.take();
    for (char& c : program)
      if (c < ' ' || c > '~') c = '?';
    graph.program = std::move(program);
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
