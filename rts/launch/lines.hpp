// What PEs print, in whole lines: two that print at once do not get mixed up within one.
#pragma once

#include <string>
#include <string_view>

#include "rts/inline/bytes.hpp"
#include "rts/launch/printed.hpp"

namespace trawl::launch {

/// One of our own files, to which what PEs print is written as it takes it: who waits for that
/// attends to everything else meanwhile.
class Output {
 public:
  explicit Output(int to) noexcept : to_(to) {}

  int to() const noexcept { return to_; }
  bool empty() const noexcept { return waiting_.empty(); }
  /// Then nothing more is to be read for it.
  bool full() const noexcept;

  void put(std::string_view text);
  /// Writes some, without waiting if the file has room.
  void write_some();
  /// What kept something from being written (errno); 0 while nothing did.
  int trouble() const noexcept { return trouble_; }

 private:
  int to_;
  int trouble_ = 0;
  std::string waiting_;
};

/// What comes from one file, to an output.
class Lines {
 public:
  /// `printed`: what has been printed before, which is left out; nullptr: nothing.
  Lines(int from, Output& to, Printed* printed = nullptr) noexcept
      : from_(from), to_(&to), printed_(printed) {}

  int from() const noexcept { return from_; }
  bool may_come() const noexcept { return !to_->full(); }
  /// Reads once, which waits if nothing has come, and passes on the lines that are complete. False:
  /// it was the end.
  bool pass_on();
  /// Passes on the beginning of a line after which nothing has come for a while, of what may be
  /// asking somebody.
  void pass_on_prompt(Nanos now);
  /// No more is read: what is left is no whole line.
  void finish();

 private:
  void put(std::size_t bytes);

  int from_;
  Output* to_;
  Printed* printed_;
  std::string kept_;  // the beginning of a line
  Nanos read_ = 0;    // when something came last
};

}  // namespace trawl::launch
