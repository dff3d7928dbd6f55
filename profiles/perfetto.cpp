#include "profiles/perfetto.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "profiles/message_name.hpp"
#include "rts/fabric/kinds.hpp"
#include "rts/inline/error.hpp"
#include "rts/trace/format.hpp"

namespace trawl::profile {
namespace {

using trace::Event;
using trace::Kind;

// Lanes of a PE behind those of its workers.
constexpr int sent_lane = trace::max_workers;
constexpr int received_lane = sent_lane + 1;
constexpr int collections_lane = sent_lane + 2;
constexpr int lanes = sent_lane + 3;

constexpr Nanos drawn_message = 1000;  // so long a message is drawn, or up to the next

/// Some codes have no function, but are "a value of" some type.
std::string value_of(const std::string& name) {
  return name.starts_with("a value of") ? name : "a value of " + name;
}

std::string quoted(const std::string& text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

/// The file; an event is an object of its array.
class Output {
 public:
  explicit Output(const std::string& path) : path_(path), file_(std::fopen(path.c_str(), "w")) {
    if (file_ == nullptr) refuse();
    text_ = R"({"displayTimeUnit":"ns","traceEvents":[)";
  }
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;
  ~Output() {
    if (file_ != nullptr) std::fclose(file_);
  }

  template <class... A>
  void event(fmt::format_string<A...> format, A&&... values) {
    text_ += first_ ? "\n" : ",\n";
    first_ = false;
    fmt::format_to(std::back_inserter(text_), format, std::forward<A>(values)...);
    if (text_.size() > std::size_t{1} << 16U) write();
  }

  void close() {
    text_ += "\n]}\n";
    write();
    const bool closed = std::fclose(std::exchange(file_, nullptr)) == 0;
    if (!closed) refuse();
  }

 private:
  void write() {
    if (std::fwrite(text_.data(), 1, text_.size(), file_) != text_.size()) refuse();
    text_.clear();
  }
  [[noreturn]] void refuse() const {
    throw Error("cannot write the trace " + path_ + ": " + std::strerror(errno) +
                    "; choose another place with --perfetto",
                2);
  }

  std::string path_;
  std::FILE* file_;
  std::string text_;
  bool first_ = true;
};

/// In microseconds, which is the format's unit.
std::string micros(Nanos time) {
  return fmt::format("{}.{:03}", time / 1000, time % 1000);
}

/// Of the messages of which both ends are in the logs, sorted: an arrow's number is its place.
std::vector<std::uint64_t> arrows_of(const Run& run, Nanos from, Nanos to) {
  std::vector<std::uint64_t> sent;
  std::vector<std::uint64_t> received;
  for (const auto& log : run.logs)
    replay(
        log,
        [&](const Event& event) {
          if (event.time < from || event.time > to) return;
          if (event.kind == Kind::message_sent) sent.push_back(message_name(log.header.pe, event));
          if (event.kind == Kind::message_received)
            received.push_back(message_name(log.header.pe, event));
        },
        nullptr);
  std::sort(sent.begin(), sent.end());
  std::sort(received.begin(), received.end());
  std::vector<std::uint64_t> both;
  std::set_intersection(sent.begin(), sent.end(), received.begin(), received.end(),
                        std::back_inserter(both));
  return both;
}

/// Follows one PE through its events.
class Process {
 public:
  Process(const Run& run, const trace::Header& header, Nanos from, Nanos to,
          const std::vector<std::uint64_t>& arrows, Output& out)
      : run_(run),
        header_(header),
        from_(from),
        to_(to),
        arrows_(arrows),
        out_(out),
        pid_(header.pe + 1) {
    describe();
  }

  void see(const Event& event) {
    switch (event.kind) {
      case Kind::spark_convert:
        threads_[event.id] = {name_of_code(run_, event.value), event.extra != 0};
        break;
      case Kind::thread_start:
        threads_.try_emplace(event.value, Thread{"root", false});
        break;
      case Kind::thread_run:
        begin(event.worker, event.time, event.value);
        break;
      case Kind::thread_block:
        end(event.worker, event.time, "waits for " + value_of(name_of_code(run_, event.id)));
        break;
      case Kind::thread_end:
        end(event.worker, event.time, "finished");
        threads_.erase(event.value);
        break;
      case Kind::idle_begin:
        begin(event.worker, event.time, std::nullopt);
        break;
      case Kind::idle_end:
        end(event.worker, event.time, {});
        break;
      case Kind::gc_begin:
        collecting_since_ = event.time;
        break;
      case Kind::gc_end:
        end_collection(event.time);
        break;
      case Kind::load:
        count(event);
        break;
      case Kind::message_sent:
        message(event, sent_);
        break;
      case Kind::message_received:
        message(event, received_);
        break;
      default:
        break;
    }
  }

  /// The log says no more.
  void finish(Nanos last) {
    while (!running_.empty()) end(running_.begin()->first, last, "");
    end_collection(last);
    put(sent_, last + drawn_message);
    put(received_, last + drawn_message);
  }

 private:
  struct Thread {
    std::string name;
    bool imported;
  };
  struct Slice {
    Nanos since;
    std::optional<std::uint32_t> thread;  // none: idle
  };
  /// The last message in a lane, not drawn yet: it ends where the next begins.
  struct Messages {
    int lane;
    Nanos next = 0;
    std::optional<Event> last{};
  };

  int tid(int lane) const { return pid_ * lanes + lane; }

  void describe() {
    const auto cluster = header_.cluster.empty() ? "" : ", " + header_.cluster;
    const auto name = fmt::format("PE {}{}, speed {:.2f}", header_.pe, cluster, header_.speed);
    out_.event(R"({{"ph":"M","pid":{},"name":"process_name","args":{{"name":{}}}}})", pid_,
               quoted(name));
    out_.event(R"({{"ph":"M","pid":{},"name":"process_sort_index","args":{{"sort_index":{}}}}})",
               pid_, pid_);
    for (int worker = 0; worker < header_.workers; ++worker)
      describe_lane(worker, fmt::format("worker {}", worker));
    describe_lane(sent_lane, "messages sent");
    describe_lane(received_lane, "messages received");
    describe_lane(collections_lane, "collections");
  }

  void describe_lane(int lane, const std::string& name) {
    for (const auto& [key, value] :
         {std::pair{"thread_name", R"("name":)" + quoted(name)},
          std::pair{"thread_sort_index", R"("sort_index":)" + std::to_string(lane)}})
      out_.event(R"({{"ph":"M","pid":{},"tid":{},"name":"{}","args":{{{}}}}})", pid_, tid(lane),
                 key, value);
  }

  void slice(int lane, Nanos begin, Nanos end, const std::string& name, const std::string& args) {
    begin = std::max({begin, from_, Nanos{0}});
    end = std::min(end, to_);
    if (begin > end) return;
    out_.event(R"({{"ph":"X","pid":{},"tid":{},"ts":{},"dur":{},"name":{},"args":{{{}}}}})", pid_,
               tid(lane), micros(begin), micros(end - begin), quoted(name), args);
  }

  // Events may be lost: what a worker does next ends what it did.
  void begin(int worker, Nanos time, std::optional<std::uint32_t> thread) {
    end(worker, time, "");
    running_[worker] = {time, thread};
  }

  void end(int worker, Nanos time, const std::string& how) {
    const auto found = running_.find(worker);
    if (found == running_.end()) return;
    const auto [since, thread] = found->second;
    running_.erase(found);
    if (!thread) return slice(worker, since, time, "idle", "");
    const auto known = threads_.find(*thread);
    const bool imported = known != threads_.end() && known->second.imported;
    slice(worker, since, time, known != threads_.end() ? known->second.name : "thread",
          fmt::format(R"("thread":{},"from another PE":{},"then":{})", *thread, imported,
                      quoted(how)));
  }

  void end_collection(Nanos time) {
    if (collecting_since_) slice(collections_lane, *collecting_since_, time, "collection", "");
    collecting_since_.reset();
  }

  void count(const Event& event) {
    if (event.time < from_ || event.time > to_) return;
    const auto time = micros(std::max<Nanos>(0, event.time));
    for (const auto& [name, value] : {std::pair<const char*, std::uint32_t>{"sparks", event.value},
                                      {"runnable threads", event.extra}})
      out_.event(R"({{"ph":"C","pid":{},"ts":{},"name":"{}","args":{{"value":{}}}}})", pid_, time,
                 name, value);
  }

  void message(const Event& event, Messages& messages) {
    if (event.time < from_ || event.time > to_) return;
    put(messages, event.time);
    messages.last = event;
    messages.last->time = std::max({event.time, messages.next, Nanos{0}});
    messages.next = messages.last->time + 1;
  }

  void put(Messages& messages, Nanos next) {
    if (!messages.last) return;
    const Event& event = *messages.last;
    const bool sent = event.kind == Kind::message_sent;
    const auto end = std::min(event.time + drawn_message, std::max(next, event.time + 1));
    messages.next = end;
    const auto row = std::min<std::size_t>(event.extra, fabric::kinds);
    slice(messages.lane, event.time, end, std::string(fabric::table::rows[row].name),
          fmt::format(R"("{} PE":{},"bytes":{})", sent ? "to" : "from", event.value, event.size));
    const auto name = message_name(header_.pe, event);
    const auto arrow = std::lower_bound(arrows_.begin(), arrows_.end(), name);
    if (arrow != arrows_.end() && *arrow == name)
      out_.event(
          R"({{"ph":"{}","pid":{},"tid":{},"ts":{},"id":{},"name":"message","cat":"message"}})",
          sent ? R"(s)" : R"(f","bp":"e)", pid_, tid(messages.lane), micros(event.time),
          arrow - arrows_.begin() + 1);
    messages.last.reset();
  }

  const Run& run_;
  const trace::Header& header_;
  Nanos from_, to_;
  const std::vector<std::uint64_t>& arrows_;
  Output& out_;
  int pid_;  // from 1: Perfetto takes 0 for something else
  std::unordered_map<std::uint32_t, Thread> threads_;
  std::map<int, Slice> running_;  // by worker
  std::optional<Nanos> collecting_since_;
  Messages sent_{sent_lane};
  Messages received_{received_lane};
};

}  // namespace

void write_perfetto(const Run& run, Nanos from, Nanos to, const std::string& path) {
  Output out(path);
  const auto arrows = arrows_of(run, from, to);
  for (const auto& log : run.logs) {
    Process process(run, log.header, from, to, arrows, out);
    replay(
        log, [&process](const Event& event) { process.see(event); }, nullptr);
    process.finish(log.last);
  }
  out.close();
}

}  // namespace trawl::profile
