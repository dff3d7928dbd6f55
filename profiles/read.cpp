#include "profiles/read.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <span>
#include <utility>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "profiles/printable.hpp"
#include "rts/inline/error.hpp"
#include "rts/trace/codes.hpp"

namespace trawl::profile {
namespace {

namespace fs = std::filesystem;
using trace::Block;
using trace::Event;

// A file with more damaged places than this is no log worth following.
constexpr int max_damage = 32;

/// A file's bytes. The log writer never shortens a file, so a mapping stays valid.
class Mapping {
 public:
  explicit Mapping(const std::string& path) {
    const int file = ::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);  // it may be a pipe
    if (file < 0) fail(path);
    struct stat status {};
    const bool known = ::fstat(file, &status) == 0;
    if (known && !S_ISREG(status.st_mode)) {
      ::close(file);
      throw Error("cannot read " + path + ": it is no regular file");
    }
    if (known && status.st_size > 0) {
      size_ = static_cast<std::size_t>(status.st_size);
      data_ = ::mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, file, 0);
    }
    const int error = errno;
    ::close(file);
    errno = error;
    if (!known || data_ == MAP_FAILED) fail(path);
    if (size_ != 0) ::madvise(data_, size_, MADV_SEQUENTIAL);
  }
  Mapping(const Mapping&) = delete;
  Mapping& operator=(const Mapping&) = delete;
  ~Mapping() {
    if (size_ != 0) ::munmap(data_, size_);
  }

  std::span<const std::byte> bytes() const { return {static_cast<const std::byte*>(data_), size_}; }

 private:
  [[noreturn]] static void fail(const std::string& path) {
    throw Error("cannot read " + path + ": " + std::strerror(errno));
  }

  void* data_ = nullptr;
  std::size_t size_ = 0;
};

template <class T>
T read_at(std::span<const std::byte> bytes, std::size_t at) {
  return Reader(bytes.subspan(at)).get<T>();
}

/// Walks through the blocks of one file.
class Replay {
 public:
  Replay(const LogFile& log, std::span<const std::byte> bytes, const Sink& sink,
         std::vector<Damage>* damage)
      : log_(log), bytes_(bytes), sink_(sink), damage_(damage) {}

  /// Whether the end of the file could be read.
  bool run() {
    std::size_t at = trace::header_size;
    bool intact = true;
    while (at < bytes_.size() && found_ < max_damage) {
      const auto end = intact_until(at);
      intact = end != 0;
      at = intact ? take_intact(at, end) : salvage(at);
    }
    if (at < bytes_.size()) report(at, "too much is damaged; the rest is left out");
    return intact;
  }

 private:
  /// Where the block at `at` ends, or 0 if it is not whole.
  std::size_t intact_until(std::size_t at) const {
    if (bytes_.size() - at < sizeof(Block)) return 0;
    const auto block = read_at<Block>(bytes_, at);
    if (block.magic != trace::block_magic || block.count == 0 || block.count > trace::block_events)
      return 0;
    const auto size = block.count * sizeof(Event);
    if (bytes_.size() - at - sizeof(Block) < size) return 0;
    const auto events = bytes_.subspan(at + sizeof(Block), size);
    return trace::checksum(block, events) == block.checksum ? at + sizeof(Block) + size : 0;
  }

  std::size_t take_intact(std::size_t at, std::size_t end) {
    const auto dropped = take(at + sizeof(Block), end, 0, trace::max_local);
    if (dropped != 0) report(at, std::to_string(dropped) + " events of this block make no sense");
    return end;
  }

  /// The block at `at` is damaged: takes what is plausible up to where another one begins, if any.
  std::size_t salvage(std::size_t at) {
    std::size_t end = std::min(at + sizeof(std::uint64_t), bytes_.size());
    while (end < bytes_.size() && !(bytes_.size() - end >= sizeof(Block) &&
                                    read_at<std::uint64_t>(bytes_, end) == trace::block_magic))
      end += std::min(sizeof(std::uint64_t), bytes_.size() - end);
    if (end - at < sizeof(Block)) {
      report(at, end == bytes_.size() ? "it ends inside a block" : "this is not a block of events");
      return end;
    }
    const auto block = read_at<Block>(bytes_, at);
    const auto whole = (end - at - sizeof(Block)) / sizeof(Event);
    const auto dropped = take(at + sizeof(Block), end, block.first, block.last);
    const bool cut = block.magic == trace::block_magic && end == bytes_.size() &&
                     block.count > whole && block.count <= trace::block_events;
    report(at, (cut ? "it ends inside this block" : "this block is damaged") + std::string("; ") +
                   std::to_string(whole - dropped) + " of " +
                   std::to_string(cut ? block.count : whole) + " events could be used");
    return end;
  }

  /// Passes on the plausible events between two bytes; how many were not.
  std::size_t take(std::size_t at, std::size_t end, Nanos first, Nanos last) {
    std::size_t dropped = 0;
    Nanos latest = first;
    for (; end - at >= sizeof(Event); at += sizeof(Event)) {
      auto event = read_at<Event>(bytes_, at);
      const bool sane = event.time >= std::max<Nanos>(0, latest) && event.time <= last &&
                        event.time < trace::max_local && event.kind <= trace::Kind::note &&
                        std::abs(event.time + log_.header.offset) <= trace::max_time;
      if (!sane) {
        ++dropped;
        continue;
      }
      latest = event.time;
      event.time += log_.header.offset;
      sink_(event);
    }
    return dropped;
  }

  void report(std::uint64_t at, std::string what) {
    ++found_;
    if (damage_ != nullptr) damage_->push_back({log_.path, at, std::move(what)});
  }

  const LogFile& log_;
  std::span<const std::byte> bytes_;
  const Sink& sink_;
  std::vector<Damage>* damage_;
  int found_ = 0;
};

std::vector<std::string> log_paths(const std::string& dir) {
  std::error_code failure;
  std::vector<std::string> paths;
  for (fs::directory_iterator entry(dir, failure), end; !failure && entry != end;
       entry.increment(failure))
    if (trace::pe_of(entry->path().filename().string()) >= 0)
      paths.push_back(entry->path().string());
  if (failure) throw Error("cannot read " + dir + ": " + failure.message(), 2);
  if (paths.empty())
    throw Error(
        "no event logs (pe-NNNN.trawl) in " + dir + ": run the program with --trawl:trace=" + dir,
        2);
  std::sort(paths.begin(), paths.end());
  return paths;
}

/// The log's header and how far it goes; its damage is added to the run's.
void open_log(const std::string& path, Run& run) {
  LogFile log{path, {}, 0, 0, false};
  try {
    log.header = trace::decode(Mapping(path).bytes());
  } catch (const BadBytes& bad) {
    run.damage.push_back({path, 0, std::string(bad.what()) + "; it is left out"});
    return;
  } catch (const Error& error) {
    run.damage.push_back({path, std::nullopt, error.what()});
    return;
  }
  if (log.header.pe != trace::pe_of(fs::path(path).filename().string())) {
    run.damage.push_back({path, 0,
                          "it is the log of PE " + std::to_string(log.header.pe) +
                              ", as its name is not; it is left out"});
    return;
  }
  for (auto* name : {&log.header.program, &log.header.cluster, &log.header.host})
    *name = printable(*name);
  const auto see = [&log](const Event& event) {
    log.last = std::max(log.last, event.time);
    ++log.events;
  };
  const bool whole = replay(log, see, &run.damage);

  std::error_code ignored;
  const auto size = fs::file_size(path, ignored);
  if (log.header.state == trace::State::open)
    run.damage.push_back({path, size, "it was never closed: its PE died, or still runs"});
  if (log.header.state == trace::State::truncated)
    run.damage.push_back({path, size, "it was cut off while written: the disk was full"});
  log.complete = whole && log.header.state == trace::State::closed;
  const auto end = log.header.end + log.header.offset;
  if (log.complete && end <= trace::max_time) log.last = std::max(log.last, end);
  run.logs.push_back(std::move(log));
}

/// Names are a convenience: without them, a code has its number.
void read_codes(const std::string& dir, Run& run) {
  const auto path = fs::path(dir) / trace::codes_file;
  const auto without = [&](const char* why) {
    run.damage.push_back({path, std::nullopt, std::string(why) + ": functions have numbers here"});
  };
  std::error_code ignored;
  if (!fs::is_regular_file(path, ignored)) return without("there is no such file, or it is none");
  std::ifstream in(path);
  if (!in) return without("it can't be read");
  if (fs::file_size(path, ignored) > trace::longest_codes) return without("it is too long");
  const std::string text(std::istreambuf_iterator<char>(in), {});
  auto codes = trace::decode_codes(text);
  run.codes = std::move(codes.names);
  run.placed = std::move(codes.placed);
  if (!codes.whole)
    run.damage.push_back(
        {path, std::nullopt, "it is damaged, or cut short: functions may have wrong names here"});
}

/// Who never knew when the run began has no number of it.
bool of_one_run(const trace::Header& a, const trace::Header& b) {
  const bool same = a.run == 0 || b.run == 0 ? a.pes == b.pes : a.run == b.run;
  return same && a.program == b.program;
}

/// Of another run than the log of the lowest PE, or of a PE that might have joined, and has not.
void leave_out_strays(Run& run) {
  const auto first = run.logs.front();
  std::erase_if(run.logs, [&](const LogFile& log) {
    const bool never_came =
        first.header.run != 0 && log.header.run == 0 && log.header.pe >= first.header.pes;
    if (never_came && log.header.program == first.header.program) return true;
    const bool stray = !of_one_run(log.header, first.header);
    if (stray)
      run.damage.push_back(
          {log.path, std::nullopt, "it is of another run than " + first.path + "; it is left out"});
    return stray;
  });
}

/// Logs that are not there.
void report_missing(const std::string& dir, Run& run) {
  const auto& first = run.logs.front().header;
  int expected = 0;
  int missing = 0;
  int example = 0;
  const auto skip_to = [&](int pe) {
    if (pe > expected && missing == 0) example = expected;
    missing += std::max(0, pe - expected);
    expected = pe + 1;
  };
  for (const auto& log : run.logs) skip_to(log.header.pe);
  skip_to(first.pes);
  if (missing != 0)
    run.damage.push_back({dir, std::nullopt,
                          "no readable log of " + std::to_string(missing) + " of " +
                              std::to_string(first.pes) + " PEs, PE " + std::to_string(example) +
                              " for one"});
}

}  // namespace

std::string to_string(const Damage& damage) {
  const auto place = damage.at ? ": byte " + std::to_string(*damage.at) : std::string();
  return damage.file + place + ": " + damage.what;
}

std::string name_of_code(const Run& run, std::uint32_t code) {
  return code < run.codes.size() ? run.codes[code] : "code " + std::to_string(code);
}

bool replay(const LogFile& log, const Sink& sink, std::vector<Damage>* damage) {
  const Mapping file(log.path);
  return Replay(log, file.bytes(), sink, damage).run();
}

Run open_run(const std::string& dir) {
  Run run;
  for (const auto& path : log_paths(dir)) open_log(path, run);
  if (run.logs.empty()) {
    std::string why = "none of the event logs in " + dir + " can be read";
    throw Error(why + " (" + to_string(run.damage.front()) + ")", 2);
  }
  std::sort(run.logs.begin(), run.logs.end(),
            [](const auto& a, const auto& b) { return a.header.pe < b.header.pe; });
  leave_out_strays(run);
  for (const auto& log : run.logs) run.end = std::max(run.end, log.last);
  read_codes(dir, run);
  report_missing(dir, run);
  return run;
}

}  // namespace trawl::profile
