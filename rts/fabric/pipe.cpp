#include "rts/fabric/pipe.hpp"

#include <algorithm>
#include <cstring>
#include <limits>

namespace trawl::fabric {
namespace {

using Length = std::uint32_t;

/// Stands for a length: the record did not fit before the end, the next one is at the beginning.
constexpr Length at_beginning = std::numeric_limits<Length>::max();

constexpr std::size_t lines_of(std::size_t message) noexcept {
  return (sizeof(Length) + message + Pipe::line - 1) / Pipe::line;
}

/// A short message's lines are fetched all at once, not each when it is come to.
constexpr std::size_t lines_on_their_way = 4;

static_assert(sizeof(Pipe) == Pipe::line && std::atomic_ref<Length>::is_always_lock_free &&
              std::atomic<std::uint64_t>::is_always_lock_free);

}  // namespace

std::byte* Pipe::content(std::size_t at) noexcept {
  return reinterpret_cast<std::byte*>(this) + (at + 1) * line + sizeof(Length);
}

std::atomic_ref<Length> Pipe::length(std::size_t at) noexcept {
  return std::atomic_ref(*reinterpret_cast<Length*>(content(at) - sizeof(Length)));
}

bool PipeWriter::has_room(std::size_t lines) noexcept {
  if (written_ + lines - read_seen_ <= lines_) return true;
  read_seen_ = pipe_->lines_read_.load(std::memory_order_acquire);
  return written_ + lines - read_seen_ <= lines_;
}

bool PipeWriter::write(std::span<const std::byte> message) noexcept {
  const auto lines = lines_of(message.size());
  if (message.empty() || lines > lines_ / 4) return false;
  const auto at = at_;
  const auto to_end = lines_ - at;
  const auto skipped = lines <= to_end ? 0 : to_end;
  if (!has_room(skipped + lines)) return false;
  const auto begin = skipped == 0 ? at : 0;
  // The first line last: its reader looks at it all the time, and would take it away in between.
  const auto first = message.first(std::min(message.size(), Pipe::line - sizeof(Length)));
  const auto rest = message.subspan(first.size());
  if (!rest.empty()) std::memcpy(pipe_->content(begin) + first.size(), rest.data(), rest.size());
  std::atomic_signal_fence(std::memory_order_release);
  std::memcpy(pipe_->content(begin), first.data(), first.size());
  pipe_->length(begin).store(static_cast<Length>(message.size()), std::memory_order_release);
  if (skipped != 0) pipe_->length(at).store(at_beginning, std::memory_order_release);
  written_ += skipped + lines;
  at_ = begin + lines == lines_ ? 0 : begin + lines;
  return true;
}

bool PipeReader::empty() const noexcept {
  return pipe_->length(at_.load(std::memory_order_acquire)).load() == 0;
}

void PipeReader::clear(std::size_t at, std::size_t lines) noexcept {
  for (std::size_t i = 0; i < lines; ++i) pipe_->length(at + i).store(0, std::memory_order_relaxed);
}

void PipeReader::let_go() noexcept {
  if (last_lines_ == 0) return;
  clear(last_at_, last_lines_);
  last_lines_ = 0;
  pipe_->lines_read_.store(taken_, std::memory_order_release);
}

std::optional<std::span<const std::byte>> PipeReader::read() {
  let_go();
  const auto at = at_.load(std::memory_order_relaxed);
  auto length = pipe_->length(at).load(std::memory_order_acquire);
  if (length == 0) return std::nullopt;
  const auto skipped = length == at_beginning ? lines_ - at : 0;
  const auto begin = skipped == 0 ? at : 0;
  if (skipped != 0) length = pipe_->length(0).load(std::memory_order_acquire);
  if (length == 0 || length > lines_ * Pipe::line || begin + lines_of(length) > lines_) {
    clear(at, 1);  // nothing more will come out of it
    throw BadBytes("the length that its sender wrote can't be true");
  }
  if (skipped != 0) clear(at, 1);
  last_at_ = begin;
  last_lines_ = lines_of(length);
  for (std::size_t i = 1; i < std::min(last_lines_, lines_on_their_way); ++i)
    __builtin_prefetch(pipe_->content(begin + i));
  taken_ += skipped + last_lines_;
  at_.store(begin + last_lines_ == lines_ ? 0 : begin + last_lines_, std::memory_order_release);
  return std::span<const std::byte>(pipe_->content(begin), length);
}

}  // namespace trawl::fabric
