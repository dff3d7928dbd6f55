#include "rts/launch/lines.hpp"

#include <array>
#include <cerrno>

#include <poll.h>
#include <unistd.h>

namespace trawl::launch {
namespace {

/// Longer lines are cut: nobody is to fill our memory.
constexpr std::size_t longest_line = std::size_t{1} << 20U;

}  // namespace

void Lines::write(std::size_t bytes) {
  std::size_t written = 0;
  while (written < bytes) {
    const auto count = ::write(to_, kept_.data() + written, bytes - written);
    if (count < 0 && errno == EAGAIN) {
      pollfd room{to_, POLLOUT, 0};
      poll(&room, 1, -1);
    } else if (count < 0 && errno != EINTR) {
      trouble_ = errno;
      break;
    }
    if (count > 0) written += static_cast<std::size_t>(count);
  }
  kept_.erase(0, bytes);
}

bool Lines::pass_on() {
  std::array<char, 1U << 16U> part{};
  const auto count = read(from_, part.data(), part.size());
  if (count < 0 && errno == EINTR) return true;
  if (count <= 0) {
    write(kept_.size());
    return false;
  }
  kept_.append(part.data(), static_cast<std::size_t>(count));
  if (const auto end = kept_.rfind('\n'); end != std::string::npos) write(end + 1);
  if (kept_.size() > longest_line) write(kept_.size());
  return true;
}

}  // namespace trawl::launch
