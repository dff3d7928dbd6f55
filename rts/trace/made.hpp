// Of which functions the sparks are that a thread makes, as some of them tell.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace trawl::trace {

/// Of one worker's running thread. A spark that is seen stands for all since the one before; those
/// after the last are as that was.
class Made {
 public:
  struct Share {
    std::uint32_t code = 0;
    bool calls = false;  ///< of spawn
    std::uint32_t sparks = 0;
  };

  /// A thread is switched in.
  void begin() noexcept { size_ = 0, seen_ = 0; }
  /// `number` is that of a spark among those of the thread since then, from 1 on.
  void see(std::uint32_t code, bool call, std::uint32_t number) noexcept;
  /// `tell` is called for each function, of `all` the thread's sparks.
  template <class Tell>
  void tell(std::uint32_t all, Tell tell) noexcept {
    if (size_ == 0) return;
    shares_[last_].sparks += all - seen_;
    for (std::size_t i = 0; i < size_; ++i) tell(shares_[i]);
    begin();
  }

 private:
  std::array<Share, 8> shares_{};  // of more, the last is told for all
  std::size_t size_ = 0, last_ = 0;
  std::uint32_t seen_ = 0;
};

}  // namespace trawl::trace
