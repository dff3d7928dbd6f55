// Memory in which a process shows something to others of its user.
#pragma once

#include <cstddef>
#include <span>

namespace trawl::watch {

/// What rts/trace/pulse.hpp describes. It is nobody's but this process's and goes with it, however
/// that ends; trawl-top finds it in /proc. Not mapped: whoever shortens it can do no harm.
class Window {
 public:
  /// Where there can be none, nobody ever looks.
  Window() noexcept;
  ~Window();
  Window(const Window&) = delete;
  Window& operator=(const Window&) = delete;

  /// Does anybody look? Costs a system call.
  bool looked_at() const noexcept;
  void show(std::span<const std::byte> bytes) noexcept;

 private:
  int file_;
};

}  // namespace trawl::watch
