#include "rts/launch/lines.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>

#include <unistd.h>

#include "rts/host/clocks.hpp"

namespace trawl::launch {
namespace {

/// Longer lines are cut: nobody is to fill our memory.
constexpr std::size_t longest_line = std::size_t{1} << 20U;
constexpr std::size_t most_waiting = std::size_t{1} << 16U;

}  // namespace

bool Output::full() const noexcept {
  return waiting_.size() >= most_waiting;
}

void Output::put(std::string_view text) {
  if (trouble_ == 0) waiting_ += text;
}

// So much a pipe that has room takes at once.
void Output::write_some() {
  const auto count =
      ::write(to_, waiting_.data(), std::min<std::size_t>(waiting_.size(), PIPE_BUF));
  if (count > 0) waiting_.erase(0, static_cast<std::size_t>(count));
  if (count >= 0 || errno == EAGAIN || errno == EINTR) return;
  trouble_ = errno;
  waiting_.clear();
}

void Lines::put(std::size_t bytes) {
  const auto text = std::string_view(kept_).substr(0, bytes);
  to_->put(printed_ != nullptr ? printed_->only_new(text) : text);
  kept_.erase(0, bytes);
}

void Lines::finish() {
  put(kept_.size());
}

void Lines::pass_on_prompt(Nanos now) {
  constexpr Nanos a_while = 100'000'000;
  if (printed_ != nullptr && !kept_.empty() && now - read_ >= a_while) put(kept_.size());
}

bool Lines::pass_on() {
  std::array<char, 1U << 16U> part{};
  const auto count = read(from_, part.data(), part.size());
  if (count < 0 && errno == EINTR) return true;
  if (count <= 0) {
    finish();
    return false;
  }
  read_ = wall_time();
  kept_.append(part.data(), static_cast<std::size_t>(count));
  if (const auto end = kept_.rfind('\n'); end != std::string::npos) put(end + 1);
  if (kept_.size() > longest_line) put(kept_.size());
  return true;
}

}  // namespace trawl::launch
