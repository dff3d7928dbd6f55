// How far long work has come, for who watches a terminal.
#pragma once

#include <chrono>
#include <cstddef>
#include <iostream>
#include <string>

#include <fmt/format.h>
#include <unistd.h>

namespace programs {

/// A line on standard error that is rewritten a few times a second and wiped at the end; nothing
/// where standard error is no terminal.
class Progress {
 public:
  Progress(std::string label, std::size_t total)
      : label_(std::move(label)), total_(total), shown_(isatty(STDERR_FILENO) != 0) {}
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  ~Progress() {
    if (drawn_) std::cerr << "\r\033[K" << std::flush;
  }

  /// So many more of the total are done.
  void advance(std::size_t count = 1) {
    done_ += count;
    if (!shown_) return;
    const auto now = std::chrono::steady_clock::now();
    if (now - last_ < std::chrono::milliseconds(200)) return;
    last_ = now;
    drawn_ = true;
    std::cerr << fmt::format("\r\033[K{}: {} of {} ({} %)", label_, done_, total_,
                             100 * done_ / (total_ == 0 ? 1 : total_))
              << std::flush;
  }

 private:
  std::string label_;
  std::size_t total_;
  std::size_t done_ = 0;
  bool shown_;
  bool drawn_ = false;
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

}  // namespace programs
