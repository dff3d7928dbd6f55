#include "rts/watch/window.hpp"

#include <cstdint>
#include <string>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "rts/trace/pulse.hpp"

namespace trawl::watch {

Window::Window() noexcept
    : file_(memfd_create(std::string(trace::pulse_memory).c_str(), MFD_CLOEXEC)) {
  if (file_ < 0) return;
  fchmod(file_, S_IRUSR | S_IWUSR);
  auto lock = trace::one_byte(F_WRLCK, trace::running_byte);
  fcntl(file_, F_OFD_SETLK, &lock);
}

Window::~Window() {
  if (file_ >= 0) close(file_);
}

bool Window::looked_at() const noexcept {
  auto lock = trace::one_byte(F_WRLCK, trace::looking_byte);
  return file_ >= 0 && fcntl(file_, F_OFD_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
}

// A reader who meets it half written finds a wrong checksum, and looks again.
void Window::show(std::span<const std::byte> bytes) noexcept {
  if (file_ < 0) return;
  off_t at = 0;
  while (!bytes.empty()) {
    const auto written = pwrite(file_, bytes.data(), bytes.size(), at);
    if (written <= 0) return;
    at += written;
    bytes = bytes.subspan(static_cast<std::size_t>(written));
  }
  // What was shown before may have been longer. Fails only where the memory was sealed: by nobody.
  static_cast<void>(ftruncate(file_, at) == 0);
}

}  // namespace trawl::watch
