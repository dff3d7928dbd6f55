// Of which functions the sparks are that a thread makes, as some of them tell.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>

namespace trawl::trace {

/// Of one worker's running thread. Sparks are seen in bursts; those between two are shared out as
/// the burst before and the one behind are, those after the last as that is.
class Made {
 public:
  struct Share {
    std::uint32_t code = 0;
    bool calls = false;  ///< of spawn
    std::uint64_t sparks = 0;
  };

  /// A thread is switched in.
  void begin() noexcept { size_ = 0, seen_ = 0, before_ = 0; }
  /// `number` is that of a spark among those of the thread since then, from 1 on. One that is seen
  /// again, as it could not go where it was to, counts once.
  void see(std::uint32_t code, bool call, std::uint64_t number) noexcept;
  /// `tell` is called for each function, of `all` the thread's sparks.
  template <class Tell>
  void tell(std::uint64_t all, Tell tell) noexcept {
    if (size_ == 0) return;
    share_out();
    before_ = all - seen_;
    share_out();
    double sum = 0;
    std::uint64_t told = 0;
    for (std::size_t i = 0; i < size_; ++i) {
      const auto& one = shares_[i];
      sum += one.sparks;
      const auto until_here = i + 1 == size_ ? all : static_cast<std::uint64_t>(std::llround(sum));
      if (until_here > told) tell(Share{one.code, one.calls, until_here - told});
      told = until_here;
    }
    begin();
  }

 private:
  struct One {
    std::uint32_t code = 0;
    bool calls = false;
    std::uint32_t last = 0, now = 0;  // in the burst before, and in this one
    double sparks = 0;
  };

  void share_out() noexcept;

  std::array<One, 8> shares_{};  // of more, the last is told for all
  std::size_t size_ = 0;
  std::uint64_t seen_ = 0;
  std::uint64_t before_ = 0;  // sparks that were not seen before this burst
};

}  // namespace trawl::trace
