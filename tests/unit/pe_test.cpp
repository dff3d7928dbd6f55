#include "rts/pe.hpp"

#include <gtest/gtest.h>

namespace trawl {
namespace {

/// One of two PEs; the other says nothing. A message may wait.
class Quiet final : public fabric::Fabric {
 public:
  int self() const noexcept override { return 0; }
  int size() const noexcept override { return 2; }
  std::size_t limit() const noexcept override { return 4096; }
  void send(int, Bytes) override {}
  std::optional<fabric::Arrival> poll() override { return std::nullopt; }
  bool waiting() const noexcept override { return message_waits; }
  bool flushed() override { return true; }
  Nanos now() const noexcept override { return 0; }

  bool message_waits = false;
};

// More may come at a time than a poll takes, and each rings only once.
TEST(Pe, SleepsShortlyWhileAMessageWaits) {
  Quiet fabric;
  const Pe pe(Pe::Setup{}, fabric, [](const Outcome&) {});
  constexpr Nanos millisecond = 1'000'000;
  EXPECT_GT(pe.longest_sleep(), millisecond);
  fabric.message_waits = true;
  EXPECT_LT(pe.longest_sleep(), millisecond);
}

}  // namespace
}  // namespace trawl
