// operator new and delete: what each thread keeps, hands to others, and gives back.
#ifndef TRAWL_NO_COLLECTOR

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <trawl/lazy.hpp>

#include "rts/heap/collect.hpp"
#include "rts/heap/weak.hpp"
#include "rts/inline/memory.hpp"

namespace trawl::heap {
namespace {

constexpr std::size_t largest = 100'000;
std::size_t next_size(std::size_t size) {
  return size + 1 + size / 7;
}

[[gnu::noinline]] void collect_well() {
  for (int i = 0; i < 3; ++i) {
    clear_finished_calls<4096>();
    collect();
  }
}

/// Blocks whose last words refer to a node each, weakly known.
struct Referring {
  std::vector<std::size_t> sizes;
  std::vector<void*> blocks;
  std::vector<std::unique_ptr<Weak>> nodes;

  [[gnu::noinline]] explicit Referring(std::size_t alignment) {
    for (std::size_t size = 8; size < largest; size = next_size(size)) {
      const std::size_t words = size / sizeof(void*);
      sizes.push_back(words * sizeof(void*));
      blocks.push_back(alignment == 0 ? ::operator new(sizes.back())
                                      : ::operator new(sizes.back(), std::align_val_t(alignment)));
      const Lazy<long> node(static_cast<long>(size));
      nodes.push_back(std::make_unique<Weak>(node.node()));
      static_cast<Node**>(blocks.back())[words - 1] = node.node();
      nodes.back()->let_die();
    }
  }

  std::size_t dead() const {
    return static_cast<std::size_t>(
        std::count_if(nodes.begin(), nodes.end(), [](const auto& node) { return node->dead(); }));
  }
};

TEST(Storage, IsScannedUntilDeleted) {
  for (const std::size_t alignment : {std::size_t{0}, std::size_t{64}, std::size_t{4096}}) {
    Referring it(alignment);
    collect_well();
    EXPECT_EQ(it.dead(), 0U);
    for (void* block : it.blocks)
      alignment == 0 ? ::operator delete(block)
                     : ::operator delete(block, std::align_val_t(alignment));
    collect_well();
    // A stale word may hold on to one or two.
    EXPECT_GE(it.dead() + 2, it.nodes.size()) << "aligned to " << alignment;
  }
}

// As above, but they are deleted by a thread that then ends.
// A vector that fills its block keeps the address behind it.
TEST(Storage, NoBlockEndsWhereAPageOfNodesMayBegin) {
  constexpr std::uintptr_t page = 4096;
  for (const std::size_t size : {16U, 32U, 64U, 128U, 256U, 512U, 1024U}) {
    std::vector<std::unique_ptr<std::byte[]>> blocks;
    for (int i = 0; i < 2000; ++i) {
      blocks.emplace_back(new std::byte[size]);
      EXPECT_NE((reinterpret_cast<std::uintptr_t>(blocks.back().get()) + size) % page, 0U) << size;
    }
  }
}

TEST(Storage, MayBeDeletedByAnotherThread) {
  Referring it(0);
  std::thread([&] {
    ::operator delete(::operator new(1));  // from now on it keeps some
    for (void* block : it.blocks) ::operator delete(block);
  }).join();
  collect_well();
  EXPECT_GE(it.dead() + 2, it.nodes.size());
}

std::atomic<bool> collecting{false};
std::atomic<int> made{0};
std::atomic<bool> waited_in_vain{false};

// With the collector's lock held, and the world not stopped yet.
void wait_for_the_maker(bool begins) {
  if (!begins) return;
  collecting = true;
  const auto give_up = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (made < 1000 && !waited_in_vain) {
    waited_in_vain = std::chrono::steady_clock::now() > give_up;
    std::this_thread::yield();
  }
}

TEST(Storage, NewAndDeleteNeedNotTheCollectorsLock) {
  set_torture(0);
  std::atomic<bool> ready{false};
  std::thread maker([&ready] {
    const auto turn = [] {
      for (const auto kind : {Storage::scanned, Storage::owned, Storage::owned_plain}) {
        const StorageScope scope(kind);
        for (const std::size_t size : {1UL, 40UL, 300UL, 2000UL})
          ::operator delete(::operator new(size));
      }
    };
    // More than once: where the heap grows the collector gives one block, and a larger one.
    for (int i = 0; i < 10; ++i) turn();
    ready = true;
    while (!collecting) std::this_thread::yield();
    for (; made < 1000; ++made) turn();
  });
  while (!ready) std::this_thread::yield();
  set_collection_hook(&wait_for_the_maker);
  collect();
  set_collection_hook(nullptr);
  maker.join();
  EXPECT_FALSE(waited_in_vain);
}

/// Blocks on their way from one thread to another.
class Belt {
 public:
  void put(std::vector<std::string*> batch) {
    std::unique_lock lock(lock_);
    changed_.wait(lock, [this] { return batches_.size() < 4; });
    batches_.push_back(std::move(batch));
    changed_.notify_all();
  }
  std::vector<std::string*> take() {
    std::unique_lock lock(lock_);
    changed_.wait(lock, [this] { return !batches_.empty(); });
    auto batch = std::move(batches_.back());
    batches_.pop_back();
    changed_.notify_all();
    return batch;
  }

 private:
  std::mutex lock_;
  std::condition_variable changed_;
  std::vector<std::vector<std::string*>> batches_;
};

TEST(Storage, WhatOneThreadMakesAndAnotherDropsIsUsedAgain) {
  Belt belt;
  constexpr int batches = 400;
  const auto before = collector_statistics().heap_bytes;
  std::thread consumer([&belt] {
    for (int i = 0; i < batches; ++i)
      for (auto* string : belt.take()) {
        EXPECT_EQ(string->back(), static_cast<char>('a' + string->size() % 26));
        delete string;
      }
  });
  std::mt19937 random(1);
  for (int i = 0; i < batches; ++i) {
    std::vector<std::string*> batch;
    for (int k = 0; k < 500; ++k) {
      const auto size = random() % 800 + 20;
      batch.push_back(new std::string(size, static_cast<char>('a' + size % 26)));
    }
    belt.put(std::move(batch));
  }
  consumer.join();
  // In all 90 MB were made, of which 2 MB at a time.
  EXPECT_LT(collector_statistics().heap_bytes, before + (std::size_t{30} << 20U));
}

TEST(Storage, AThreadThatEndsLeavesItsBlocksToOthers) {
  collect_well();
  const auto before = collector_statistics().live_bytes;
  for (int i = 0; i < 300; ++i)
    std::thread([] {
      for (std::size_t size = 8; size < 2000; size += 16) ::operator delete(::operator new(size));
    }).join();
  collect_well();
  // Each has had a page of each of 24 sizes: 28 MB together.
  EXPECT_LT(collector_statistics().live_bytes, before + (std::size_t{4} << 20U));
}

/// Small blocks whose addresses are hidden, each with the only reference to a node.
struct Hidden {
  std::vector<std::uintptr_t> blocks;
  std::vector<std::unique_ptr<Weak>> nodes;

  [[gnu::noinline]] explicit Hidden(std::size_t count) {
    const StorageScope scope(Storage::owned_plain);
    blocks.reserve(count);
    for (std::size_t i = 0; i < count; ++i) add(static_cast<long>(i));
  }
  [[gnu::noinline]] void add(long number) {
    const StorageScope scope(Storage::scanned);
    auto** block = static_cast<Node**>(::operator new(300));
    const Lazy<long> node(number);
    nodes.push_back(std::make_unique<Weak>(node.node()));
    *block = node.node();
    nodes.back()->let_die();
    blocks.push_back(~reinterpret_cast<std::uintptr_t>(block));
  }
  bool whole() const {
    for (std::size_t i = 0; i < blocks.size(); ++i) {
      if (nodes[i]->dead()) return false;
      auto* const node = *reinterpret_cast<Node**>(~blocks[i]);
      if (ResultOf<long>::get(node) != static_cast<long>(i)) return false;
    }
    return true;
  }
};

[[gnu::noinline]] void make_and_delete_blocks(std::size_t count) {
  std::vector<std::unique_ptr<char[]>> blocks;
  for (std::size_t i = 0; i < count; ++i) blocks.push_back(std::make_unique<char[]>(300));
}

// More than threads and their depot keep, so it goes to the collector; whose heap has had room for
// all so far: it has been asked for lists of blocks only.
[[noreturn]] void delete_much_and_use_it_again() {
  set_torture(0);
  constexpr std::size_t many = 10'000;
  make_and_delete_blocks(many);
  collect_well();
  const Hidden it(many / 2);
  make_and_delete_blocks(many);
  collect_well();
  for (long n = 0; n < 100'000; ++n) static_cast<void>(Lazy<long>(-n));
  std::exit(it.whole() ? 0 : 3);
}

// In a process of its own, with so large a heap from the beginning; nobody or somebody helps to
// mark.
TEST(StorageDeathTest, WhatWentBackToTheCollectorIsScannedWhenUsedAgain) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const char* const before = std::getenv("GC_MARKERS");
  const std::string markers_before = before != nullptr ? before : "";
  setenv("GC_INITIAL_HEAP_SIZE", "64000000", 1);
  for (const char* markers : {"1", "2"}) {
    setenv("GC_MARKERS", markers, 1);
    EXPECT_EXIT(delete_much_and_use_it_again(), testing::ExitedWithCode(0), "") << markers;
  }
  unsetenv("GC_INITIAL_HEAP_SIZE");
  before != nullptr ? setenv("GC_MARKERS", markers_before.c_str(), 1) : unsetenv("GC_MARKERS");
}

// ---- what is told of it

/// How many bytes are counted when something of so many is allocated: for each, a little more.
template <class Make>
void expect_counted(std::size_t bytes, Make make) {
  const auto before = collector_statistics().allocated_bytes;
  make();
  const auto counted = collector_statistics().allocated_bytes - before;
  EXPECT_GE(counted, bytes);
  EXPECT_LT(counted, bytes + bytes / 4);
}

TEST(Storage, AllThatIsAllocatedIsCounted) {
  constexpr std::size_t size = 200;
  constexpr std::size_t times = 20'000;
  const auto make_and_drop = [] {
    for (std::size_t i = 0; i < times; ++i) ::operator delete(::operator new(size));
  };
  for (const auto kind : {Storage::scanned, Storage::owned, Storage::owned_plain})
    expect_counted(times * size, [&] {
      const StorageScope scope(kind);
      make_and_drop();
    });
  // Lists of blocks that are full, go to the depot, and come back.
  expect_counted(times * size, [] {
    std::vector<void*> blocks(1000);
    for (std::size_t i = 0; i < times; i += blocks.size()) {
      for (void*& block : blocks) block = ::operator new(size);
      for (void* block : blocks) ::operator delete(block);
    }
  });
  expect_counted(times * size, [&] { std::thread(make_and_drop).join(); });
  expect_counted(20 * largest, [] {
    for (int i = 0; i < 20; ++i) ::operator delete(::operator new(largest));
  });
  expect_counted(times * 56, [] {
    for (std::size_t i = 0; i < times; ++i)
      static_cast<void>(Lazy<std::array<long, 6>>(std::array<long, 6>{}));
  });
}

TEST(Storage, WhatIsAliveIsToldOfTheLastCollection) {
  constexpr std::size_t size = std::size_t{32} << 20U;
  constexpr std::size_t little = std::size_t{2} << 20U;
  collect_well();
  const auto before = collector_statistics();
  void* block = ::operator new(size);
  const auto not_yet = collector_statistics();
  if (not_yet.collections == before.collections) {
    EXPECT_EQ(not_yet.live_bytes, before.live_bytes);
  }
  collect_well();
  EXPECT_GE(collector_statistics().live_bytes + little, before.live_bytes + size);
  EXPECT_LT(collector_statistics().live_bytes, before.live_bytes + size + little);
  ::operator delete(block);
  collect_well();
  EXPECT_LT(collector_statistics().live_bytes, before.live_bytes + little);
}

/// Something of each kind of storage, in each the same number many times.
struct Mixed {
  long number;
  std::vector<long> scanned;
  std::unique_ptr<std::vector<Lazy<long>>> owned;
  std::vector<long> plain;

  explicit Mixed(long n) : number(n), scanned(static_cast<std::size_t>(n % 300), n) {
    {
      const StorageScope scope(Storage::owned);
      owned = std::make_unique<std::vector<Lazy<long>>>(static_cast<std::size_t>(n % 70 + 1),
                                                        Lazy<long>(n));
    }
    const StorageScope scope(Storage::owned_plain);
    plain.assign(static_cast<std::size_t>(n % 200), n);
  }

  bool whole() const {
    const auto is_it = [this](long n) { return n == number; };
    return std::all_of(scanned.begin(), scanned.end(), is_it) &&
           std::all_of(plain.begin(), plain.end(), is_it) &&
           std::all_of(owned->begin(), owned->end(),
                       [&](Lazy<long> lazy) { return is_it(ResultOf<long>::get(lazy.node())); });
  }
};

TEST(Storage, AnyThreadMakesAndDropsWhileOthersCollect) {
  std::array<std::atomic<Mixed*>, 50> shared{};
  std::vector<std::thread> threads;
  for (unsigned seed = 0; seed < 3; ++seed)
    threads.emplace_back([&shared, seed] {
      std::mt19937 random(seed);
      std::vector<std::unique_ptr<Mixed>> mine(50);
      for (int i = 0; i < 20'000; ++i) {
        auto& place = mine[random() % mine.size()];
        if (place) {
          ASSERT_TRUE(place->whole());
        }
        place = std::make_unique<Mixed>(static_cast<long>(random() % 1'000'000));
        if (i % 3 == 0) place.reset(shared[random() % shared.size()].exchange(place.release()));
      }
    });
  for (int i = 0; i < 50; ++i) collect();
  for (auto& thread : threads) thread.join();
  for (auto& left : shared) delete left.load();
}

}  // namespace
}  // namespace trawl::heap

#endif
