// Values that own memory outside of the heap are destroyed when they have died.
#include <algorithm>
#include <array>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <map>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <variant>
#include <vector>

#include <gtest/gtest.h>
#include <trawl/trawl.hpp>

#include "rts/simulate.hpp"

namespace trawl {
namespace {

/// Owns memory of malloc, as GMP's numbers do.
class Outside {
 public:
  static inline std::atomic<long> alive{0};

  Outside() : Outside(0) {}
  explicit Outside(long value, std::size_t bytes = sizeof(long)) : bytes_(bytes) {
    set(value);
    ++alive;
  }
  Outside(const Outside& other) : Outside(other.value(), other.bytes_) {}
  Outside& operator=(const Outside& other) {
    set(other.value());
    return *this;
  }
  ~Outside() {
    std::free(memory_);
    --alive;
  }

  long value() const { return *memory_; }

  template <class Archive>
  void save(Archive& archive) const {
    archive(value());
  }
  template <class Archive>
  void load(Archive& archive) {
    long value = 0;
    archive(value);
    set(value);
  }

 private:
  void set(long value) {
    if (memory_ == nullptr)
      memory_ = static_cast<long*>(std::memset(std::malloc(bytes_), 0, bytes_));
    *memory_ = value;
  }

  std::size_t bytes_;
  long* memory_ = nullptr;
};

struct Inside {
  std::string name;
  std::vector<std::map<int, std::string>> maps;
  std::vector<Inside> more;
};

struct Around {
  std::string name;
  std::vector<std::optional<Outside>> values;
  Lazy<Outside> lazy;
};

/// Says that it is made of standard containers only.
struct Trusted {
  std::vector<long> numbers;
  Trusted() = default;
  template <class Archive>
  void serialize(Archive& archive) {
    archive(numbers);
  }
};

template <class T>
struct Elsewhere {
  using value_type = T;
  Elsewhere() = default;
  template <class U>
  explicit Elsewhere(const Elsewhere<U>&) {}
  T* allocate(std::size_t count) { return static_cast<T*>(std::malloc(count * sizeof(T))); }
  void deallocate(T* memory, std::size_t) { std::free(memory); }
  friend bool operator==(Elsewhere, Elsewhere) { return true; }
};

}  // namespace
}  // namespace trawl

template <>
struct trawl::needs_no_destructor<trawl::Trusted> : std::true_type {};

namespace trawl {
namespace {

static_assert(!heap::destructor_runs<long>);
static_assert(!heap::destructor_runs<Lazy<Outside>>);
static_assert(!heap::destructor_runs<std::string>);
static_assert(!heap::destructor_runs<Inside>);
static_assert(!heap::destructor_runs<std::vector<Lazy<Outside>>>);
static_assert(!heap::destructor_runs<std::variant<int, std::map<std::string, Inside>>>);
static_assert(!heap::destructor_runs<Trusted>);
static_assert(!heap::destructor_runs<std::vector<Trusted>>);
static_assert(heap::destructor_runs<Outside>);
static_assert(heap::destructor_runs<Around>);
static_assert(heap::destructor_runs<std::array<Outside, 3>>);
static_assert(heap::destructor_runs<std::pair<int, std::vector<Outside>>>);
static_assert(heap::destructor_runs<std::vector<double, Elsewhere<double>>>);

#ifndef TRAWL_NO_COLLECTOR

// A stale word may hold on to a few.
constexpr long stale = 20;
constexpr long many = 1000;

[[gnu::noinline]] long left_alive() {
  for (int i = 0; i < 4; ++i) {
    heap::clear_finished_calls<4096>();
    heap::collect();
    heap::run_finalisers();
  }
  return Outside::alive;
}

Outside next(const Outside& before) {
  return Outside(before.value() + 1);
}
Around around(const Outside& value, Lazy<Outside> lazy) {
  return {"around", {value, std::nullopt, Outside(2)}, lazy};
}
long value_of(const Outside& value) {
  return value.value();
}
Outside fails(const Outside& value) {
  throw std::out_of_range("fails " + std::to_string(value.value()));
}

[[gnu::noinline]] void use_all_kinds(long n) {
  for (long i = 0; i < n; ++i) {
    const Lazy<Outside> made(Outside(i, 100));
    const auto evaluated = lazy<next>(force(made));
    EXPECT_EQ(force(evaluated).value(), i + 1);
    const auto deep = lazy<around>(force(evaluated), evaluated);
    EXPECT_EQ(force(deep).values.front()->value(), i + 1);
    EXPECT_EQ(force(force(deep).lazy).value(), i + 1);
    EXPECT_EQ(force(lazy<value_of>(Outside(i))), i);
    EXPECT_THROW(force(lazy<fails>(Outside(i))), std::out_of_range);
    static_cast<void>(lazy<next>(Outside(i)));  // never evaluated
    EXPECT_EQ(spawn<next>(Outside(i)).sync().value(), i + 1);
  }
}

Simulation::Config grid_of(int pes) {
  Simulation::Config config;
  config.net.pes = pes;
  config.options.packet_size = 300;
  return config;
}

TEST(Destructor, RunsWhenAValueHasDied) {
  left_alive();
  ASSERT_LE(Outside::alive, stale);
  Simulation grid(grid_of(1));
  grid.run([] {
    const Lazy<Outside> kept(Outside(7));
    use_all_kinds(many);
    EXPECT_GT(Outside::alive, 0);
    EXPECT_LE(left_alive(), 1 + 5 * stale);
    EXPECT_EQ(force(kept).value(), 7);
  });
}

// Thunks move, are copied, die as proxies; their arguments are dropped at home.
TEST(Destructor, RunsOnEachPe) {
  Simulation grid(grid_of(3));
  grid.run([] {
    for (int round = 0; round < 20; ++round) {
      std::vector<Lazy<Around>> values;
      for (long i = 0; i < 50; ++i)
        values.push_back(par(lazy<around>(Outside(i), lazy<next>(Outside(i)))));
      Simulation::work(3'000'000);  // others take them
      for (long i = 0; i < 50; ++i) {
        const auto& value = force(values[static_cast<std::size_t>(i)]);
        EXPECT_EQ(value.values.front()->value(), i);
        EXPECT_EQ(force(value.lazy).value(), i + 1);
      }
    }
  });
  for (int i = 0; i < 20; ++i) {
    left_alive();
    grid.sweep();
    grid.run([] { EXPECT_EQ(force(lazy<value_of>(Outside(3))), 3); });
    grid.settle();
  }
  EXPECT_LE(left_alive(), 20 * stale);  // of 20 x 50 x 8 or so
}

// The collector, which sees 48 bytes for each, must be told.
TEST(Destructor, MemoryOutsideBringsACollectionNearer) {
  constexpr long megabytes = 1000;
  const long before = left_alive();
  long most = 0;
  for (long i = 0; i < megabytes; ++i) {
    static_cast<void>(Lazy<Outside>(Outside(i, std::size_t{1} << 20U)));
    most = std::max(most, Outside::alive - before);
  }
  // Half of what the process had before, which may have run all other tests, is allowed.
  EXPECT_LT(most, megabytes * 8 / 10);
}

// No value is destroyed twice, or while somebody has it: the sanitizer of a build without the
// collector, or malloc, would notice.
TEST(Destructor, RunsWhileOthersMakeValues) {
  std::vector<std::thread> threads;
  for (int t = 0; t < 3; ++t)
    threads.emplace_back([] {
      std::array<Lazy<Outside>, 10> kept;
      for (std::size_t i = 0; i < 20'000; ++i) {
        kept[i % kept.size()] = Lazy<Outside>(Outside(static_cast<long>(i), 50));
        const auto at = i - std::min(i, i % 7);
        const auto& value = heap::ResultOf<Outside>::get(kept[at % kept.size()].node());
        ASSERT_EQ(value.value(), static_cast<long>(at));
      }
    });
  for (int i = 0; i < 20; ++i) {
    heap::collect();
    heap::run_finalisers();
  }
  for (auto& thread : threads) thread.join();
  EXPECT_LE(left_alive(), 20 * stale);
}

#endif

}  // namespace
}  // namespace trawl
