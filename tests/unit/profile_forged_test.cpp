// profiles/: logs that somebody has made to be read, as no run has written them.
#include <bit>
#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include "profiles/message_name.hpp"
#include "profiles/report/messages.hpp"

namespace trawl::profile {
namespace {

using trace::Event;
using trace::Kind;

/// What differs in the names of two messages is in what their events may hold.
struct Difference {
  explicit Difference(std::uint64_t of_names) : bits(of_names) {}
  bool fits() const {
    return (bits >> 24U & 0xffU) == 0 && (bits >> 6U & 3U) == 0 && (bits & 63U) <= 32;
  }
  Event event(Kind kind, std::uint32_t other) const {
    const auto width = bits & 63U;
    Event event{};
    event.time = 10;
    event.kind = kind;
    event.value = other;
    event.extra = static_cast<std::uint16_t>(bits >> 8U);
    event.id = static_cast<std::uint32_t>(bits >> 32U);
    event.size = width == 0 ? 0 : std::uint32_t{1} << (width - 1);
    return event;
  }
  std::uint64_t bits;
};

constexpr std::uint64_t way(std::uint64_t from, std::uint64_t to) {
  return (from << 32U | to) * trace::checksum_factor;
}

/// PE 0 is in one cluster, 1 and 2 in another.
Run run_of_three() {
  Run run;
  for (int pe = 0; pe < 3; ++pe) {
    LogFile log;
    log.header.pe = pe;
    log.header.pes = 3;
    log.header.cluster = pe == 0 ? "a" : "b";
    run.logs.push_back(log);
  }
  return run;
}

TEST(ForgedLog, NamesOfMessagesOfTwoWaysMayBeTheSame) {
  std::uint32_t to = 1000;  // which is in the first cluster, like all that are not known
  while (!Difference(way(0, to) ^ way(0, 2)).fits()) ++to;
  const auto sent = Difference(way(0, to) ^ way(0, 2)).event(Kind::message_sent, to);
  const auto received = Difference(0).event(Kind::message_received, 0);
  ASSERT_EQ(message_name(0, sent), message_name(2, received));
  MessageEnds ends(run_of_three(), 0, 100);
  ends.see(0, sent);
  ends.see(2, received);
  const auto messages = ends.result();
  EXPECT_EQ(messages.looked_at, 1U);
  for (const auto& link : messages.links) EXPECT_EQ(link.over_time.size(), Link::parts);
}

TEST(ForgedLog, MessagesThatAreNeverThinnedOut) {
  std::uint32_t to = 1000;
  while (!Difference(way(0, to)).fits()) ++to;
  const auto sent = Difference(way(0, to)).event(Kind::message_sent, to);
  ASSERT_EQ(message_name(0, sent), 0U);
  MessageEnds ends(run_of_three(), 0, 100);
  for (int i = 0; i < 1'000'200; ++i) ends.see(0, sent);
  EXPECT_EQ(ends.result().seen, 1'000'200U);
}

}  // namespace
}  // namespace trawl::profile
