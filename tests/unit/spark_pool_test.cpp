// The spark pool under real threads: whatever its owner and the thieves do, each spark is taken
// once.
#include "rts/sched/spark_pool.hpp"

#include <atomic>
#include <memory>
#include <random>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "lang/lazy.hpp"

namespace trawl::sched {
namespace {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr int rounds = 100'000;
#else
constexpr int rounds = 2'000'000;
#endif

long number(long n) {
  return n;
}

/// A thunk's argument tells which one it is; nobody evaluates it here.
heap::Node* numbered(long n) {
  return lazy<number>(n).node();
}
long number_of(heap::Node* node) {
  using T = heap::Thunk<Function<number>, long, long>;
  return std::get<0>(T::arguments(node)).value;
}

struct NumberedFrame : Frame {
  std::tuple<long> arguments;
  explicit NumberedFrame(long n)
      : Frame(heap::thunk_code<Function<number>, long, long>), arguments(n) {}
};

TEST(SparkPool, OwnerTakesTheNewestThievesTheOldest) {
  SparkPool pool(8);
  std::vector<heap::Node*> nodes;
  for (long i = 0; i < 4; ++i) {
    nodes.push_back(numbered(i));
    EXPECT_TRUE(pool.push(Spark(nodes.back())));
  }
  EXPECT_EQ(pool.size(), 4u);
  EXPECT_EQ(pool.take_newest(), nodes[3]);
  EXPECT_EQ(pool.take_oldest(true), nodes[0]);
  EXPECT_FALSE(pool.take_back(Spark(nodes[1])));  // not the newest
  EXPECT_TRUE(pool.take_back(Spark(nodes[2])));
  EXPECT_EQ(pool.take_oldest(true), nodes[1]);
  EXPECT_EQ(pool.take_oldest(true), nullptr);
  EXPECT_EQ(pool.take_newest(), nullptr);
  EXPECT_EQ(pool.size(), 0u);
}

TEST(SparkPool, WhenFullFizzledSparksMakeRoom) {
  SparkPool pool(4);
  std::vector<heap::Node*> nodes;
  for (long i = 0; i < 4; ++i) {
    nodes.push_back(numbered(i));
    EXPECT_TRUE(pool.push(Spark(nodes.back())));
  }
  EXPECT_FALSE(pool.push(Spark(numbered(4))));
  for (const auto i : {1U, 2U}) nodes[i]->move(heap::State::unevaluated, heap::State::black_hole);
  heap::Node* late = numbered(5);
  EXPECT_TRUE(pool.push(Spark(late)));
  EXPECT_EQ(pool.fizzled(), 2u);
  EXPECT_EQ(pool.take_oldest(true), nodes[0]);
  EXPECT_EQ(pool.take_oldest(true), nodes[3]);
  EXPECT_EQ(pool.take_oldest(true), late);
}

TEST(SparkPool, AFullPoolFindsRoomAgain) {
  constexpr std::size_t capacity = 1024;
  SparkPool pool(capacity);
  std::vector<heap::Node*> nodes;
  for (std::size_t i = 0; i < capacity; ++i) {
    nodes.push_back(numbered(static_cast<long>(i)));
    ASSERT_TRUE(pool.push(Spark(nodes.back())));
  }
  EXPECT_FALSE(pool.push(Spark(numbered(0))));
  for (auto* node : nodes) node->move(heap::State::unevaluated, heap::State::black_hole);
  std::size_t refused = 0;
  while (!pool.push(Spark(numbered(1)))) ASSERT_LT(++refused, capacity);
  EXPECT_EQ(pool.size(), 1u);
  EXPECT_EQ(pool.fizzled(), capacity);
}

TEST(SparkPool, AFrameIsPromotedOnceWhenSomebodyElseTakesIt) {
  SparkPool pool(4);
  NumberedFrame frame(42);
  ASSERT_TRUE(pool.push(Spark(&frame)));
  heap::Node* node = pool.take_oldest(true);
  ASSERT_NE(node, nullptr);
  EXPECT_EQ(number_of(node), 42);
  EXPECT_EQ(frame.promoted.load(), node);
  EXPECT_EQ(pool.promoted(), 1u);
  EXPECT_FALSE(pool.take_back(Spark(&frame)));
  EXPECT_FALSE(pool.remove(Spark(&frame)));
}

TEST(SparkPool, RemoveFindsASparkInTheMiddle) {
  SparkPool pool(4);
  NumberedFrame frames[3] = {NumberedFrame(0), NumberedFrame(1), NumberedFrame(2)};
  for (auto& frame : frames) ASSERT_TRUE(pool.push(Spark(&frame)));
  EXPECT_TRUE(pool.remove(Spark(&frames[1])));
  EXPECT_FALSE(pool.remove(Spark(&frames[1])));
  EXPECT_EQ(number_of(pool.take_oldest(true)), 0);
  EXPECT_EQ(number_of(pool.take_oldest(true)), 2);
  EXPECT_EQ(pool.take_oldest(true), nullptr);
  EXPECT_EQ(pool.promoted(), 2u);
}

/// Some thieves at the other end of a pool, for as long as this lives. Each calls `took(number)`
/// for every spark that it gets.
template <class Took>
class Thieves {
 public:
  Thieves(SparkPool& pool, int how_many, Took took) : took_(took) {
    prepare_fences();
    for (int i = 0; i < how_many; ++i)
      threads_.emplace_back([this, &pool] {
        heap::mutator();
        while (!leaving_.load(std::memory_order_relaxed)) {
          if (heap::Node* node = pool.take_oldest(false)) took_(number_of(node));
          std::this_thread::yield();
        }
      });
  }
  ~Thieves() {
    leaving_ = true;
    for (auto& thread : threads_) thread.join();
  }

 private:
  Took took_;
  std::atomic<bool> leaving_{false};
  std::vector<std::thread> threads_;
};

TEST(SparkPool, EachHeapSparkIsTakenOnce) {
  std::unique_ptr<std::atomic<int>[]> taken(new std::atomic<int>[rounds]());
  const auto take = [&taken](long n) { taken[static_cast<std::size_t>(n)]++; };
  std::atomic<long> stolen{0};
  SparkPool pool(16);
  {
    const Thieves thieves(pool, 3, [&](long n) {
      take(n);
      ++stolen;
    });
    std::mt19937_64 random(1);
    std::vector<heap::Node*> mine;  // pushed by us, newest last; thieves may have taken the front
    for (long n = 0; n < rounds; ++n) {
      heap::Node* node = numbered(n);
      if (pool.push(Spark(node)))
        mine.push_back(node);
      else
        take(n);
      const auto dice = random() % 8;
      if (dice < 3 && !mine.empty()) {
        if (pool.take_back(Spark(mine.back()))) take(number_of(mine.back()));
        mine.pop_back();
      } else if (dice == 3) {
        if (heap::Node* newest = pool.take_newest()) take(number_of(newest));
      } else if (dice == 4) {
        if (heap::Node* oldest = pool.take_oldest(true)) take(number_of(oldest));
      } else if (dice == 5 && !mine.empty()) {
        const auto at = random() % mine.size();
        if (pool.remove(Spark(mine[at]))) take(number_of(mine[at]));
      }
      if (mine.size() > 64) mine.erase(mine.begin(), mine.begin() + 32);
    }
    while (heap::Node* node = pool.take_newest()) take(number_of(node));
  }
  for (int n = 0; n < rounds; ++n) ASSERT_EQ(taken[static_cast<std::size_t>(n)].load(), 1) << n;
  EXPECT_GT(stolen.load(), 0);
}

// As spawn and sync do it: frames nest, and are gone as soon as their owner has them back.
TEST(SparkPool, EachFrameIsTakenOnce) {
  std::atomic<long> stolen{0};
  std::atomic<long> stolen_sum{0};
  long kept = 0;
  long kept_sum = 0;
  SparkPool pool(64);
  {
    const Thieves thieves(pool, 3, [&](long n) {
      ++stolen;
      stolen_sum += n;
    });
    const auto nest = [&](auto&& self, long n, int depth) -> void {
      NumberedFrame frame(n);
      const Spark spark(&frame);
      const bool pushed = pool.push(spark);
      if (depth > 0) self(self, n + 1, depth - 1);
      if (pool.take_back(spark) || pool.remove(spark) || frame.promoted.load() == nullptr) {
        ++kept;
        kept_sum += n;
        EXPECT_EQ(frame.promoted.load(), nullptr);
      } else {
        EXPECT_TRUE(pushed);
        EXPECT_EQ(number_of(frame.promoted.load()), n);
      }
    };
    for (long n = 0; n < rounds; n += 100) nest(nest, n, 99);
  }
  EXPECT_EQ(kept + stolen.load(), rounds);
  EXPECT_EQ(kept_sum + stolen_sum.load(), long{rounds} * (rounds - 1) / 2);
  EXPECT_EQ(pool.promoted(), static_cast<std::uint64_t>(stolen.load()));
  EXPECT_GT(stolen.load(), 0);
}

}  // namespace
}  // namespace trawl::sched
