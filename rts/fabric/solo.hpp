// The fabric of a PE that is alone.
#pragma once

#include "rts/fabric/fabric.hpp"
#include "rts/host/clocks.hpp"
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
  Nanos now() const noexcept override { return wall_time(); }
};

}  // namespace trawl::fabric
