// Messages of any length, whatever the fabric does to their fragments, and whatever the bytes are.
#include "rts/fabric/fragments.hpp"

#include <algorithm>
#include <deque>
#include <map>
#include <random>
#include <set>

#include <gtest/gtest.h>
#include <sys/resource.h>

#include "rts/fabric/sim.hpp"

namespace trawl::fabric {
namespace {

// In a fragment, before its share of the message.
constexpr std::size_t head = Fragmenter::prefix + 3 * sizeof(std::uint64_t);
// Of a message, in a fragment of 100 bytes.
constexpr std::size_t chunk = 100 - head;

/// A message of `size` bytes behind its prefix, of a kind that may be long; contents depend on the
/// seed.
Bytes message_of(std::size_t size, std::uint64_t seed, Kind kind = Kind::schedule) {
  Writer prefix;
  Fragmenter::begin(prefix);
  Bytes bytes = prefix.take();
  bytes.resize(Fragmenter::prefix + size);
  std::mt19937_64 random(seed);
  for (std::size_t i = Fragmenter::prefix; i < bytes.size(); ++i) {
    bytes[i] = static_cast<std::byte>(random() >> 56);
  }
  if (size != 0) bytes[Fragmenter::prefix] = static_cast<std::byte>(kind);
  return bytes;
}

void send(Fragmenter& fragmenter, Fabric& fabric, int to, const Bytes& message) {
  Writer writer(message.size());
  writer.raw(message.data(), message.size());
  fragmenter.send(fabric, to, writer);
}

/// With all of it handed over.
void send_all(Fragmenter& fragmenter, Fabric& fabric, int to, const Bytes& message) {
  send(fragmenter, fabric, to, message);
  while (fragmenter.keeps_any()) fragmenter.go_on(fabric);
}

bool same_payload(const Arrival& arrival, const Bytes& sent) {
  const auto got = Fragmenter::payload(arrival);
  const auto want = std::span<const std::byte>(sent).subspan(Fragmenter::prefix);
  return std::equal(got.begin(), got.end(), want.begin(), want.end());
}

/// A fabric that hands over what the test put in.
class Script final : public Fabric {
 public:
  explicit Script(std::size_t limit) : limit_(limit) {}

  int self() const noexcept override { return 0; }
  int size() const noexcept override { return 8; }
  std::size_t limit() const noexcept override { return limit_; }
  void send(int to, std::span<const std::byte> message) override {
    sent.push_back(copy_of(message));
    if (stuck) unsent_[to] += message.size();
  }
  std::size_t unsent(int to) const noexcept override {
    const auto found = unsent_.find(to);
    return found == unsent_.end() ? 0 : found->second;
  }
  void all_left() { unsent_.clear(); }
  std::optional<Arrival> poll() override {
    if (coming.empty()) return std::nullopt;
    last_ = std::move(coming.front());
    coming.pop_front();
    return Arrival{last_.first, last_.second};
  }
  bool flushed() override { return true; }
  Nanos now() const noexcept override { return 0; }

  bool stuck = false;  // what is sent doesn't leave
  std::vector<Bytes> sent;
  std::deque<std::pair<int, Bytes>> coming;

 private:
  std::map<int, std::size_t> unsent_;
  std::pair<int, Bytes> last_;
  std::size_t limit_;
};

/// The fragments of one message, as they would be sent.
std::vector<Bytes> cut(std::size_t limit, const Bytes& message) {
  Script fabric(limit);
  Fragmenter fragmenter;
  send_all(fragmenter, fabric, 1, message);
  return fabric.sent;
}

/// The message that is whole now, if it is.
std::optional<Arrival> feed(Fragmenter& fragmenter, Script& fabric, int from, Bytes bytes) {
  fabric.coming.emplace_back(from, std::move(bytes));
  const auto arrival = fragmenter.receive(fabric);
  EXPECT_TRUE(arrival);
  return arrival->bytes.empty() ? std::nullopt : arrival;
}

TEST(Fragments, WhatFitsTravelsAsItIs) {
  Script fabric(100);
  const auto message = message_of(100 - Fragmenter::prefix, 1);
  Fragmenter fragmenter;
  send(fragmenter, fabric, 1, message);
  ASSERT_EQ(fabric.sent.size(), 1u);
  EXPECT_EQ(fabric.sent[0], message);
}

TEST(Fragments, FragmentsFillTheLimit) {
  const auto fragments = cut(100, message_of(10 * chunk, 1));
  ASSERT_EQ(fragments.size(), 10u);
  for (const auto& fragment : fragments) EXPECT_EQ(fragment.size(), 100u);
}

/// Three senders, one receiver, fragments of all messages mixed and out of order.
TEST(Fragments, EverySizeFromEverySenderArrivesWhole) {
  constexpr std::size_t limit = 4096;
  SimNet net({.pes = 4, .seed = 3, .jitter = 400'000, .reorder = true, .limit = limit});
  std::vector<Fragmenter> fragmenters(4);
  std::vector<std::size_t> sizes{0,         1,     limit - 27, limit - 26, limit - 25, limit - 2,
                                 limit - 1, limit, limit + 1,  2 * limit,  5'000'000};
  std::mt19937_64 random(11);
  for (int i = 0; i < 60; ++i) sizes.push_back(random() % (std::size_t{1} << (random() % 20)));
  for (int i = 0; i < 3; ++i) sizes.push_back(random() % 5'000'000);
  std::shuffle(sizes.begin(), sizes.end(), random);

  std::vector<std::vector<Bytes>> sent(4);
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    for (int from = 1; from < 4; ++from) {
      const auto message = message_of(sizes[i], 100 * i + static_cast<std::size_t>(from));
      sent[static_cast<std::size_t>(from)].push_back(message);
      send_all(fragmenters[static_cast<std::size_t>(from)], net.endpoint(from), 0, message);
    }
  }

  std::size_t received = 0;
  std::size_t overtaken = 0;
  while (const auto next = net.next_arrival(0)) {
    net.advance_to(0, *next);
    while (const auto arrival = fragmenters[0].receive(net.endpoint(0))) {
      if (arrival->bytes.empty()) continue;
      auto& left = sent[static_cast<std::size_t>(arrival->from)];
      const auto found = std::find_if(left.begin(), left.end(), [&](const Bytes& message) {
        return same_payload(*arrival, message);
      });
      ASSERT_NE(found, left.end());
      if (found != left.begin()) ++overtaken;
      left.erase(found);
      ++received;
    }
  }
  EXPECT_EQ(received, 3 * sizes.size());
  EXPECT_GT(overtaken, 0u);
}

// ---- what is under way -------------------------------------------------------------------------

constexpr std::size_t usual_limit = 128 * 1024;

TEST(Fragments, NoMoreIsHandedOverThanLeavesAgain) {
  Script fabric(usual_limit);
  fabric.stuck = true;
  Fragmenter fragmenter;
  std::vector<Bytes> messages{message_of(20'000'000, 1)};
  for (std::uint64_t i = 0; i < 100; ++i) messages.push_back(message_of(100'000, i));
  for (std::uint64_t i = 0; i < 1'000; ++i) messages.push_back(message_of(4'000, i));
  for (const auto& message : messages) send(fragmenter, fabric, 1, message);
  for (int i = 0; i < 100; ++i) fragmenter.go_on(fabric);
  EXPECT_LE(fabric.unsent(1), Fragmenter::most_unsent_of_all + usual_limit);
  EXPECT_GE(fabric.unsent(1), Fragmenter::most_unsent);
  // Another PE's are not held up.
  const auto before = fabric.sent.size();
  send(fragmenter, fabric, 2, message_of(100'000, 1));
  EXPECT_EQ(fabric.sent.size(), before + 1);
  fabric.sent.pop_back();

  for (int i = 0; fragmenter.keeps_any() && i < 10'000; ++i) {
    fabric.all_left();
    fragmenter.go_on(fabric);
    EXPECT_LE(fabric.unsent(1), Fragmenter::most_unsent_of_all + usual_limit);
  }
  EXPECT_FALSE(fragmenter.keeps_any());
  Fragmenter receiver;
  std::multiset<std::size_t> sizes;
  for (auto& bytes : fabric.sent)
    if (const auto arrival = feed(receiver, fabric, 1, std::move(bytes)))
      sizes.insert(arrival->bytes.size());
  std::multiset<std::size_t> expected;
  for (const auto& message : messages) expected.insert(message.size());
  EXPECT_EQ(sizes, expected);
}

TEST(Fragments, WhatIsShortDoesNotWaitForWhatIsLong) {
  Script fabric(usual_limit);
  fabric.stuck = true;
  Fragmenter fragmenter;
  send(fragmenter, fabric, 1, message_of(5'000'000, 1));
  send(fragmenter, fabric, 1, message_of(5'000, 1));
  const auto before = fabric.sent.size();
  const auto message = message_of(100, 1);
  send(fragmenter, fabric, 1, message);
  ASSERT_EQ(fabric.sent.size(), before + 1);
  EXPECT_EQ(fabric.sent.back(), message);
}

TEST(Fragments, AtTheEndWhatIsAboutWorkIsDropped) {
  Script fabric(usual_limit);
  fabric.stuck = true;
  Fragmenter fragmenter;
  send(fragmenter, fabric, 1, message_of(5'000'000, 1));
  for (std::uint64_t i = 0; i < 3'000; ++i)
    send(fragmenter, fabric, 1, message_of(1'000, i, i < 2'000 ? Kind::fail : Kind::free));
  fabric.sent.clear();
  fragmenter.drop_work();
  EXPECT_TRUE(fragmenter.keeps_any());
  fabric.stuck = false;
  fabric.all_left();
  while (fragmenter.keeps_any()) fragmenter.go_on(fabric);
  EXPECT_GT(fabric.sent.size(), 500u);
  for (const auto& bytes : fabric.sent)
    EXPECT_EQ(bytes.at(Fragmenter::prefix), static_cast<std::byte>(Kind::fail));
}

TEST(Fragments, WhatWasLaidTravelsInItsPlace) {
  for (const std::size_t limit : {std::size_t{100}, usual_limit}) {
    const auto message = message_of(3'000, 7);
    const auto rest = std::span<const std::byte>(message);
    Writer writer;
    writer.raw(rest.data(), 1);
    writer.lay(rest.subspan(1, 999), nullptr);
    writer.lay(rest.subspan(1'000, 1), nullptr);
    writer.raw(rest.data() + 1'001, 500);
    writer.lay(rest.subspan(1'501), nullptr);
    EXPECT_EQ(writer.size(), message.size());
    Script fabric(limit);
    Fragmenter sender;
    Fragmenter receiver;
    sender.send(fabric, 1, writer);
    while (sender.keeps_any()) sender.go_on(fabric);
    std::optional<Arrival> arrival;
    for (auto& bytes : fabric.sent) arrival = feed(receiver, fabric, 1, std::move(bytes));
    ASSERT_TRUE(arrival);
    EXPECT_TRUE(same_payload(*arrival, message));
  }
}

TEST(Writer, TakesBackWhatWasLaid) {
  const auto bytes = message_of(10, 1);
  Writer writer;
  writer.put(std::byte{1});
  writer.lay(bytes, nullptr);
  writer.put(std::byte{2});
  writer.shrink(12);
  EXPECT_EQ(writer.size(), 12u);
  writer.shrink(1);
  EXPECT_EQ(writer.take(), Bytes{std::byte{1}});
}

TEST(Fragments, TheSendersViewIsTold) {
  for (const std::size_t size : {std::size_t{1}, 3 * chunk})
    for (const std::size_t view : {0U, 1U, 127U, 128U, 255U, 256U, 32'767U, 32'768U, 100'000U}) {
      SCOPED_TRACE(std::to_string(size) + ", " + std::to_string(view));
      Writer writer;
      Fragmenter::begin(writer, view);
      writer.put(Kind::schedule);
      for (std::size_t i = 1; i < size; ++i) writer.put(std::uint8_t{7});
      Script fabric(100);
      Fragmenter fragmenter;
      fragmenter.expect_views();
      fragmenter.send(fabric, 1, writer);
      while (fragmenter.keeps_any()) fragmenter.go_on(fabric);
      std::optional<Arrival> arrival;
      for (const auto& bytes : fabric.sent) arrival = feed(fragmenter, fabric, 1, bytes);
      ASSERT_TRUE(arrival);
      EXPECT_EQ(Fragmenter::view_of(arrival->bytes), view % Fragmenter::views);
      EXPECT_EQ(Fragmenter::payload(*arrival).size(), size);
    }
}

TEST(Fragments, LastFragmentFirst) {
  const auto message = message_of(1'000, 5);
  auto fragments = cut(100, message);
  std::reverse(fragments.begin(), fragments.end());
  Script fabric(100);
  Fragmenter fragmenter;
  for (std::size_t i = 0; i + 1 < fragments.size(); ++i) {
    EXPECT_FALSE(feed(fragmenter, fabric, 2, fragments[i]));
  }
  const auto arrival = feed(fragmenter, fabric, 2, fragments.back());
  ASSERT_TRUE(arrival);
  EXPECT_EQ(arrival->from, 2);
  EXPECT_TRUE(same_payload(*arrival, message));
}

TEST(Fragments, ADeadPeLeavesNothingBehind) {
  const auto fragments = cut(100, message_of(2 * chunk, 5));
  Script fabric(100);
  Fragmenter fragmenter;
  EXPECT_FALSE(feed(fragmenter, fabric, 2, fragments[0]));
  fragmenter.forget_from(2);
  EXPECT_FALSE(feed(fragmenter, fabric, 2, fragments[1]));
  EXPECT_TRUE(feed(fragmenter, fabric, 2, fragments[0]));
}

/// The words of a fragment, written by hand.
Bytes forged(std::uint64_t id, std::uint64_t index, std::uint64_t total, std::size_t content) {
  Writer writer;
  writer.raw(cut(100, message_of(200, 1))[0].data(), Fragmenter::prefix);
  writer.put(id);
  writer.put(index);
  writer.put(total);
  auto bytes = writer.take();
  bytes.resize(head + content);
  if (content != 0) bytes[head] = static_cast<std::byte>(Kind::schedule);
  return bytes;
}

TEST(Fragments, BadBytesNameTheirSenderAndHarmNoOther) {
  constexpr std::uint64_t huge = ~std::uint64_t{0};
  const auto message = message_of(2 * chunk, 5);
  const auto fragments = cut(100, message);
  Script fabric(100);
  Fragmenter fragmenter;
  EXPECT_FALSE(feed(fragmenter, fabric, 3, fragments[0]));
  EXPECT_FALSE(feed(fragmenter, fabric, 4, forged(1, 1, 1'000, chunk)));

  auto truncated = fragments[1];
  truncated.pop_back();
  const std::map<std::string, Bytes> bad{
      {"empty", {}},
      {"unknown kind", Bytes(50, std::byte{0})},
      {"shorter than a prefix", Bytes(1, std::byte{'W'})},
      {"no header", Bytes(fragments[0].begin(), fragments[0].begin() + 20)},
      {"no content", forged(9, 0, 1'000, 0)},
      {"truncated", truncated},
      {"total of 0", forged(9, 0, 0, chunk)},
      {"total that needs no fragments", forged(9, 0, 100 - Fragmenter::prefix, chunk)},
      {"total over 1 TiB", forged(9, 0, Fragmenter::max_message + 1, chunk)},
      {"total of everything", forged(9, 0, huge, chunk)},
      {"index past the end", forged(9, 14, 1'000, chunk)},
      {"index of everything", forged(9, huge, 1'000, chunk)},
      {"short in the middle", forged(9, 3, 1'000, chunk - 1)},
      {"long at the end", forged(9, 13, 1'000, chunk)},
      {"another total", forged(1, 2, 2'000, chunk)},
      {"came twice, early", forged(1, 1, 1'000, chunk)},
  };
  for (const auto& [name, bytes] : bad) {
    try {
      feed(fragmenter, fabric, 4, bytes);
      ADD_FAILURE() << name << " was accepted";
    } catch (const BadBytes& error) {
      EXPECT_NE(std::string(error.what()).find("PE 4"), std::string::npos) << error.what();
    }
  }
  EXPECT_THROW(feed(fragmenter, fabric, 3, fragments[0]), BadBytes) << "came twice, in place";

  const auto arrival = feed(fragmenter, fabric, 3, fragments[1]);
  ASSERT_TRUE(arrival);
  EXPECT_TRUE(same_payload(*arrival, message));
}

TEST(Fragments, UnfinishedMessagesAreBounded) {
  Script fabric(100);
  Fragmenter fragmenter;
  for (std::uint64_t id = 0; id < Fragmenter::max_unfinished; ++id) {
    EXPECT_FALSE(feed(fragmenter, fabric, 1, forged(id, 0, 1'000, chunk)));
  }
  EXPECT_THROW(feed(fragmenter, fabric, 1, forged(1u << 30, 0, 1'000, chunk)), BadBytes);
  EXPECT_FALSE(feed(fragmenter, fabric, 2, forged(1u << 30, 0, 1'000, chunk)));
}

/// Holds what the process may still map while it lives.
class MemoryBound {
 public:
  explicit MemoryBound(rlim_t more) {
    getrlimit(RLIMIT_DATA, &before_);
    auto bound = before_;
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    bound.rlim_cur = static_cast<rlim_t>(usage.ru_maxrss) * 1024 + more;
    setrlimit(RLIMIT_DATA, &bound);
  }
  ~MemoryBound() { setrlimit(RLIMIT_DATA, &before_); }
  MemoryBound(const MemoryBound&) = delete;
  MemoryBound& operator=(const MemoryBound&) = delete;

 private:
  rlimit before_{};
};

TEST(Fragments, AnnouncedLengthsCostNothing) {
// A sanitizer's own memory counts too, and has no bound.
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
  const MemoryBound bound(256 << 20);
#endif
  Script fabric(1024);
  Fragmenter fragmenter;
  const auto content = 1024 - head;
  for (std::uint64_t id = 0; id < 2'000; ++id) {
    EXPECT_FALSE(feed(fragmenter, fabric, 1, forged(id, 0, Fragmenter::max_message, content)));
  }
}

/// Flipped bits, cut ends and noise: a value or BadBytes, nothing else.
TEST(Fragments, NoBytesDoHarm) {
  std::mt19937_64 random(2026);
  const auto fragments = cut(100, message_of(500, 5));
  int refused = 0;
  int finished = 0;
  for (int round = 0; round < 3'000; ++round) {
    Script fabric(100);
    Fragmenter fragmenter;
    for (auto bytes : fragments) {
      const auto kind = random() % 8;
      if (kind == 0) bytes.resize(random() % (bytes.size() + 1));
      if (kind == 1) bytes[random() % bytes.size()] ^= static_cast<std::byte>(1u << random() % 8);
      if (kind == 2) bytes[random() % 25] = static_cast<std::byte>(random());
      if (kind == 3 && round % 4 == 0) {
        bytes.resize(random() % 200);
        for (auto& byte : bytes) byte = static_cast<std::byte>(random());
      }
      try {
        if (feed(fragmenter, fabric, 1, std::move(bytes))) ++finished;
      } catch (const BadBytes&) {
        ++refused;
      }
    }
  }
  EXPECT_GT(refused, 1'000);
  EXPECT_GT(finished, 10);
}

}  // namespace
}  // namespace trawl::fabric
