// How far long work has come, for who watches a terminal.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdlib>
#include <iostream>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <unistd.h>

namespace programs {

/// A line on standard error that is rewritten a few times a second and wiped at the end; nothing
/// where standard error is no terminal, or one whose lines can't be rewritten.
class Progress {
 public:
  Progress(std::string label, std::size_t total)
      : label_(std::move(label)), total_(total), shown_(is_shown()) {}
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  ~Progress() { wipe(); }

  /// Before something else is written.
  void wipe() {
    if (std::exchange(drawn_, false)) std::cerr << "\r\033[K" << std::flush;
  }

  /// So many more of the total are done.
  void advance(std::size_t count = 1) {
    done_ += count;
    if (is_due()) draw(done_);
  }

  /// One more of a list of lazy values has been used. Behind it others may have been evaluated.
  template <class List>
  void advance_in(const List& list) {
    ++done_;
    if (is_due())
      draw(done_ + static_cast<std::size_t>(
                       std::count_if(list.begin() + static_cast<std::ptrdiff_t>(done_), list.end(),
                                     [](const auto& value) { return value.evaluated(); })));
  }

 private:
  static bool is_shown() {
    const char* const terminal = std::getenv("TERM");
    return isatty(STDERR_FILENO) != 0 && terminal != nullptr && *terminal != '\0' &&
           std::string_view(terminal) != "dumb";
  }

  bool is_due() {
    if (!shown_) return false;
    const auto now = std::chrono::steady_clock::now();
    if (now - last_ < std::chrono::milliseconds(200)) return false;
    last_ = now;
    return true;
  }

  void draw(std::size_t done) {
    drawn_ = true;
    std::cerr << fmt::format("\r\033[K{}: {} of {} ({} %)", label_, done, total_,
                             100 * done / (total_ == 0 ? 1 : total_))
              << std::flush;
  }

  std::string label_;
  std::size_t total_;
  std::size_t done_ = 0;
  bool shown_;
  bool drawn_ = false;
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

}  // namespace programs
