#include "rts/fabric/pipe.hpp"

#include <cstring>
#include <deque>
#include <random>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace trawl::fabric {
namespace {

/// A pipe and its two ends, in one process.
struct Ends {
  explicit Ends(std::size_t lines)
      : memory(lines + 1),
        pipe(reinterpret_cast<Pipe&>(memory[0])),
        in(pipe, lines),
        out(pipe, lines) {}

  struct alignas(Pipe::line) Line {
    std::byte bytes[Pipe::line]{};
  };
  std::vector<Line> memory;
  Pipe& pipe;
  PipeWriter in;
  PipeReader out;
};

bool same(std::span<const std::byte> got, const Bytes& sent) {
  return std::equal(got.begin(), got.end(), sent.begin(), sent.end());
}

/// Its contents tell which of them it is.
Bytes message(std::size_t size, std::uint64_t number) {
  Bytes bytes(size);
  std::mt19937_64 random(number);
  for (auto& byte : bytes) byte = static_cast<std::byte>(random());
  return bytes;
}

TEST(Pipe, IsEmptyAtFirst) {
  Ends ends(16);
  EXPECT_TRUE(ends.out.empty());
  EXPECT_FALSE(ends.out.read());
}

TEST(Pipe, BringsWhatWasWrittenInItsOrder) {
  constexpr std::size_t lines = 64;
  Ends ends(lines);
  std::mt19937_64 random(1);
  std::deque<Bytes> under_way;
  int refused = 0;
  for (std::uint64_t i = 0; i < 100'000; ++i) {
    if (random() % 2 == 0) {
      auto next = message(1 + random() % (lines / 4 * Pipe::line - 4), i);
      if (ends.in.write(next))
        under_way.push_back(std::move(next));
      else
        ++refused;
    } else {
      EXPECT_EQ(ends.out.empty(), under_way.empty());
      const auto got = ends.out.read();
      ASSERT_EQ(got.has_value(), !under_way.empty());
      if (!got) continue;
      ASSERT_TRUE(same(*got, under_way.front()));
      under_way.pop_front();
    }
  }
  EXPECT_GT(refused, 0);
}

TEST(Pipe, RefusesWhatHasNoRoom) {
  constexpr std::size_t lines = 64;
  Ends ends(lines);
  EXPECT_FALSE(ends.in.write({}));
  EXPECT_FALSE(ends.in.write(message(lines / 4 * Pipe::line, 1)));
  std::size_t written = 0;
  while (ends.in.write(message(60, written))) ++written;
  EXPECT_EQ(written, lines);
  ASSERT_TRUE(ends.out.read());
  EXPECT_FALSE(ends.in.write(message(60, written))) << "over a message that is still being read";
  ASSERT_TRUE(ends.out.read());
  EXPECT_TRUE(ends.in.write(message(60, written)));
}

TEST(Pipe, AMessageStaysUntilTheNextIsReadButIsNotWaitingAnyMore) {
  constexpr std::size_t lines = 16;
  Ends ends(lines);
  const auto first = message(200, 0);
  ASSERT_TRUE(ends.in.write(first));
  EXPECT_FALSE(ends.out.empty());
  const auto got = ends.out.read();
  ASSERT_TRUE(got);
  EXPECT_TRUE(ends.out.empty());
  for (std::uint64_t i = 1; ends.in.write(message(100, i)); ++i) {
  }
  EXPECT_TRUE(same(*got, first));
}

TEST(Pipe, CarriesBetweenThreads) {
  constexpr std::uint64_t count = 200'000;
  Ends ends(32);
  std::thread writer([&] {
    std::mt19937_64 random(2);
    for (std::uint64_t i = 0; i < count; ++i) {
      const auto next = message(1 + random() % 300, i);
      while (!ends.in.write(next)) std::this_thread::yield();
    }
  });
  std::mt19937_64 random(2);
  std::uint64_t wrong = 0;
  for (std::uint64_t i = 0; i < count; ++i) {
    const auto expected = message(1 + random() % 300, i);
    auto got = ends.out.read();
    for (; !got; got = ends.out.read()) std::this_thread::yield();
    wrong += same(*got, expected) ? 0U : 1U;
  }
  writer.join();
  EXPECT_EQ(wrong, 0U);
  EXPECT_TRUE(ends.out.empty());
}

// Whatever its writer left there: an error or a message, nothing past the end.
TEST(Pipe, BelievesNoLength) {
  constexpr std::size_t lines = 16;
  std::mt19937_64 random(3);
  int refused = 0;
  for (unsigned i = 0; i < 20'000; ++i) {
    Ends ends(lines);
    const auto filled = random() % lines;  // so that records lie anywhere
    for (std::size_t k = 0; k < filled; ++k) {
      ASSERT_TRUE(ends.in.write(message(60, k)));
      ASSERT_TRUE(ends.out.read());
    }
    for (auto line = ends.memory.begin() + 1; line != ends.memory.end(); ++line) {
      const auto length = random() % 4 == 0
                              ? 0xffff'ffffU
                              : static_cast<std::uint32_t>(random() >> (random() % 64));
      std::memcpy(line->bytes, &length, sizeof length);
    }
    try {
      for (std::size_t k = 0; k <= lines && ends.out.read(); ++k) {
      }
    } catch (const BadBytes&) {
      ++refused;
      EXPECT_TRUE(ends.out.empty());
      EXPECT_FALSE(ends.out.read());
    }
  }
  EXPECT_GT(refused, 0);
}

}  // namespace
}  // namespace trawl::fabric
