#include "rts/pe.hpp"

#include <gtest/gtest.h>

namespace trawl {
namespace {

/// One of two PEs; the other says nothing. A message may wait, to be received or to be sent.
class Quiet final : public fabric::Fabric {
 public:
  int self() const noexcept override { return 0; }
  int size() const noexcept override { return 2; }
  std::size_t limit() const noexcept override { return 4096; }
  void send(int, std::span<const std::byte>) override {}
  std::optional<fabric::Arrival> poll() override { return std::nullopt; }
  bool waiting() const noexcept override { return message_waits; }
  bool under_way() const noexcept override { return send_waits; }
  bool flushed() override { return true; }
  Nanos now() const noexcept override { return 0; }

  bool message_waits = false;
  bool send_waits = false;
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

// A thread may send in the middle of a long function; the doorman may have gone to sleep for long.
TEST(Pe, TellsTheDoormanOfWhatIsStillBeingSent) {
  Quiet fabric;
  Pe pe(Pe::Setup{}, fabric, [](const Outcome&) {});
  const auto send = [&] {
    const std::lock_guard lock(pe.lock());
    pe.send(1, pe.open(fabric::Kind::bait, 1));
  };
  const auto rings = pe.bell().rings();
  send();
  EXPECT_FALSE(pe.under_way());
  EXPECT_EQ(pe.bell().rings(), rings);
  fabric.send_waits = true;
  send();
  EXPECT_TRUE(pe.under_way());
  EXPECT_GT(pe.bell().rings(), rings);
}

TEST(Pe, TellsTheDoormanOfItsMessagesToItself) {
  Quiet fabric;
  Pe pe(Pe::Setup{}, fabric, [](const Outcome&) {});
  const auto rings = pe.bell().rings();
  const std::lock_guard lock(pe.lock());
  pe.send(0, pe.open(fabric::Kind::bait, 0));
  EXPECT_GT(pe.bell().rings(), rings);
}

}  // namespace
}  // namespace trawl
