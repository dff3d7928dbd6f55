// What PEs print, in whole lines: two that print at once do not get mixed up within one.
#pragma once

#include <string>

namespace trawl::launch {

/// Passes on what comes from one file to another.
class Lines {
 public:
  Lines(int from, int to) noexcept : from_(from), to_(to) {}

  int from() const noexcept { return from_; }
  /// Reads once, which waits if nothing has come, and writes the lines that are complete. False: it
  /// was the end, and all has been written.
  bool pass_on();
  /// What kept some of it from being written (errno); 0 while all was.
  int trouble() const noexcept { return trouble_; }
  int to() const noexcept { return to_; }

 private:
  void write(std::size_t bytes);

  int from_;
  int to_;
  int trouble_ = 0;
  std::string kept_;  // the beginning of a line
};

}  // namespace trawl::launch
