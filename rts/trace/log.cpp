#include "rts/trace/log.hpp"

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <mutex>
#include <new>
#include <span>
#include <system_error>

#include <fcntl.h>
#include <unistd.h>

namespace trawl::trace {
namespace {

namespace fs = std::filesystem;

// A Block lies behind the first of them so that its events follow it.
constexpr std::size_t block_entries = (sizeof(Block) + sizeof(Event) - 1) / sizeof(Event);
constexpr std::size_t block_at = block_entries * sizeof(Event) - sizeof(Block);

[[noreturn]] void refuse(const std::string& path, int error) {
  const char* cure = "name another directory for the event log";
  if (error == ENOSPC || error == EDQUOT) cure = "free some space or log to another disk";
  if (error == ENOTDIR || error == EEXIST) cure = "the event log needs a directory: name another";
  throw Error("cannot write the event log " + path + ": " + std::strerror(error) + "; " + cure, 2);
}

void remove_stale(const fs::path& dir, int pes) {
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(dir, ignored))
    if (pe_of(entry.path().filename().string()) >= pes) fs::remove(entry.path(), ignored);
}

}  // namespace

Log::Log(const Setup& setup)
    : clock_(setup.clock),
      path_((fs::path(setup.dir) / file_name(setup.pe)).string()),
      fill_(block_entries),
      buffer_(std::clamp(setup.buffer, std::size_t{1} << 12, std::size_t{1} << 24) /
              sizeof(Event)) {
  if (setup.workers > max_workers)
    throw Error("the event log knows at most 256 workers a PE, not " +
                    std::to_string(setup.workers) + ": use more PEs of fewer workers",
                2);
  std::error_code failure;
  fs::create_directories(setup.dir, failure);
  if (failure) refuse(setup.dir, failure.value());
  if (setup.pe == 0) remove_stale(setup.dir, setup.pes);

  header_.pe = setup.pe;
  header_.pes = setup.pes;
  header_.workers = setup.workers;
  header_.thread_limit = setup.thread_limit;
  header_.speed = setup.speed;
  header_.program = setup.program;
  header_.cluster = setup.cluster;
  header_.host = setup.host;
  header_.file = setup.file;
  header_.build = setup.build;
  header_.start = last_ = now();
  header_.offset = -header_.start;

  // A new file rather than a shorter one: somebody may be reading the old one through mmap.
  if (::unlink(path_.c_str()) != 0 && errno != ENOENT) refuse(path_, errno);
  file_ = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (file_ < 0) refuse(path_, errno);
  if (const int error = write_header(); error != 0) {
    ::close(file_);
    refuse(path_, error);
  }
}

void Log::event(Kind kind, unsigned worker, std::uint32_t value, std::uint16_t extra,
                std::uint32_t id, std::uint32_t size) noexcept {
  const std::lock_guard lock(mutex_);
  append({0, value, extra, kind, static_cast<std::uint8_t>(worker), id, size});
}

void Log::site(unsigned worker, std::uint32_t code, StackPlaces stack) noexcept {
  const std::lock_guard lock(mutex_);
  auto more = static_cast<std::uint16_t>(stack.size());
  for (const auto place : stack)
    append({0, code, --more, Kind::spark_site, static_cast<std::uint8_t>(worker), place, 0});
}

// A collection is noted from within it: what allocates must not hold the lock.
void Log::message(Kind kind, int pe, std::uint16_t what, std::size_t size) noexcept try {
  const auto number = next_number(kind, pe, what, size);
  const std::lock_guard lock(mutex_);
  append({0, static_cast<std::uint32_t>(pe), what, kind, 0, number,
          static_cast<std::uint32_t>(std::min<std::size_t>(size, UINT32_MAX))});
} catch (const std::bad_alloc&) {  // the log does without
}

// Short messages overtake long ones, and some kinds wait where others don't.
std::uint32_t Log::next_number(Kind kind, int pe, std::uint16_t what, std::size_t size) {
  const auto key = static_cast<std::uint64_t>(pe) << 32U | std::uint64_t{what} << 16U |
                   static_cast<std::uint64_t>(std::bit_width(size)) << 1U |
                   static_cast<std::uint64_t>(kind == Kind::message_sent);
  const std::lock_guard lock(numbers_lock_);
  return ++numbers_[key];
}

void Log::set_offset(Nanos offset, Nanos run, bool joins) noexcept {
  const std::lock_guard lock(mutex_);
  header_.joined = joins;
  if (joins) header_.start = now();
  header_.offset = offset;
  header_.run = run;
  if (file_ < 0) return;
  if (const int error = write_header(); error != 0) stop(error);
}

void Log::set_drift(Nanos drift) noexcept {
  const std::lock_guard lock(mutex_);
  drift_ = drift;
}

void Log::save() noexcept {
  const std::lock_guard lock(mutex_);
  if (file_ >= 0) flush();
}

void Log::close(int pes) noexcept {
  const std::lock_guard lock(mutex_);
  if (file_ < 0) return;
  flush();
  if (file_ < 0) return;
  header_.end = std::max(last_, now());
  header_.state = State::closed;
  if (pes > header_.pe) header_.pes = pes;
  const int error = write_header();
  if (::close(file_) != 0 || error != 0) error_ = error != 0 ? error : errno;
  file_ = -1;
}

std::string Log::trouble() const {
  const std::lock_guard lock(mutex_);
  if (error_ == 0) return {};
  return "the event log " + path_ + " ends early: " + std::strerror(error_);
}

// From here on the caller holds the lock.

void Log::append(const Event& event) noexcept {
  if (file_ < 0) return;
  last_ = std::max(last_, now());  // under the lock: the file is in the order of time
  buffer_[fill_] = event;
  buffer_[fill_++].time = last_;
  if (fill_ == buffer_.size()) flush();
}

void Log::flush() noexcept {
  if (fill_ == block_entries) return;
  const auto events = std::span(buffer_).subspan(block_entries, fill_ - block_entries);
  Block block{block_magic, static_cast<std::uint32_t>(events.size()), 0, events.front().time,
              events.back().time};
  block.checksum = checksum(block, std::as_bytes(events));
  auto* const begin = reinterpret_cast<std::byte*>(buffer_.data()) + block_at;
  std::memcpy(begin, &block, sizeof block);
  const auto size = fill_ * sizeof(Event) - block_at;
  fill_ = block_entries;
  if (const int error = write_at(end_, begin, size); error != 0) return stop(error);
  end_ += size;
}

void Log::stop(int error) noexcept {
  error_ = error;
  header_.state = State::truncated;
  header_.end = last_;
  write_header();  // overwrites what is there, which a full disk still allows
  ::close(file_);
  file_ = -1;
}

int Log::write_header() noexcept {
  const auto bytes = encode(header_);
  return write_at(0, bytes.data(), bytes.size());
}

int Log::write_at(std::size_t at, const void* data, std::size_t size) noexcept {
  const char* next = static_cast<const char*>(data);
  while (size != 0) {
    const auto written = ::pwrite(file_, next, size, static_cast<off_t>(at));
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return written < 0 ? errno : ENOSPC;
    next += written;
    at += static_cast<std::size_t>(written);
    size -= static_cast<std::size_t>(written);
  }
  return 0;
}

}  // namespace trawl::trace
