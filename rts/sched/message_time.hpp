// What messages take of the time of whoever handles them.
#pragma once

#include <algorithm>
#include <cstddef>

#include "rts/inline/bytes.hpp"
#include "rts/inline/tally.hpp"

namespace trawl::sched {

/// Reading the clock takes a tenth as long as a short message does: of these every 17th is
/// measured, and counts for all. Long ones are measured each. One writer at a time; anybody may ask
/// for the sum.
class MessageTime {
 public:
  static constexpr std::size_t long_message = 4096;  ///< bytes

  /// So many bytes have been handled, in one go; `took()` says how long that took. To be told of
  /// polls that brought nothing, too.
  template <class Took>
  void note(std::size_t bytes, Took took) noexcept {
    before_ = sum();
    if (bytes == 0) return;
    if (bytes >= long_message) return add(took());
    if (left_-- != 0) return;
    left_ = every - 1;
    // Who lost his core meanwhile has lost it once, not 17 times.
    add(every * std::min<Nanos>(took(), longest));
  }

  /// If the next is short, it is measured: then the time when it begins has to be right.
  bool due() const noexcept { return left_ == 0; }

  Nanos sum() const noexcept { return static_cast<Nanos>(sum_.value()); }
  /// Without the last of which it was told.
  Nanos sum_before() const noexcept { return before_; }

  /// Starts at 0 again.
  void forget() noexcept {
    sum_.set(0);
    before_ = 0;
  }

 private:
  // Odd, as who works in turns, an answer for each question, must not be seen in one of them only.
  static constexpr int every = 17;
  static constexpr Nanos longest = 100'000;

  void add(Nanos time) noexcept { sum_.add(static_cast<std::uint64_t>(std::max<Nanos>(time, 0))); }

  Tally sum_;
  Nanos before_ = 0;
  int left_ = 0;
};

}  // namespace trawl::sched
