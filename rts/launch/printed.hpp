// What the main PE has printed in all starts of one run. A run that is begun again prints it again,
// as functions are pure: that is compared, and left out.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace trawl::launch {

class Printed {
 public:
  /// A start begins: what it prints is compared from the first byte.
  void start() noexcept { compared_ = 0; }
  /// `text` is what it prints next: the part of it that no start has printed before.
  std::string_view only_new(std::string_view text);

  /// This start has printed something else than those before.
  bool differs() const noexcept { return differs_; }
  /// It has not printed all that those before did.
  bool falls_short() const noexcept { return compared_ != all_.size() && !too_long_; }
  /// Not all of it is kept: no other start could be compared.
  bool too_long() const noexcept { return too_long_; }

 private:
  std::string all_;
  std::size_t compared_ = 0;
  bool differs_ = false;
  bool too_long_ = false;
};

}  // namespace trawl::launch
