// The fabric of a PE that is alone.
#pragma once

#include <chrono>

#include "rts/fabric/fabric.hpp"
#include "rts/inline/error.hpp"

namespace trawl::fabric {

class Solo final : public Fabric {
 public:
  int self() const noexcept override { return 0; }
  int size() const noexcept override { return 1; }
  std::size_t limit() const noexcept override { return std::size_t{64} << 10U; }
  void send(int, std::span<const std::byte>) override { throw Error("there is no other PE"); }
  std::optional<Arrival> poll() override { return std::nullopt; }
  bool flushed() override { return true; }
  Nanos now() const noexcept override {
    return std::chrono::steady_clock::now().time_since_epoch() / std::chrono::nanoseconds(1);
  }
};

}  // namespace trawl::fabric
