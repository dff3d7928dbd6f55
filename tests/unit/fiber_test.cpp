// Stacks that ordinary C++ can block on.
#include "rts/sched/fiber.hpp"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <trawl/lazy.hpp>

namespace trawl::sched {
namespace {

constexpr std::size_t stack = std::size_t{128} << 10U;

/// A function on a fiber of its own that can be left and entered again.
class Coroutine {
 public:
  explicit Coroutine(void (*body)(Coroutine&), std::size_t bytes = stack)
      : body_(body), fiber_(bytes, &Coroutine::run, this) {}

  void enter() {
    Fiber here;
    here_ = &here;
    here.switch_to(fiber_);
  }
  void leave() { fiber_.switch_to(*here_); }
  bool done = false;
  std::string said;

 private:
  static void run(void* self) {
    auto& it = *static_cast<Coroutine*>(self);
    it.body_(it);
    it.done = true;
    it.leave();
  }

  void (*body_)(Coroutine&);
  Fiber* here_ = nullptr;
  Fiber fiber_;
};

// A process may have 65,530.
#ifndef __SANITIZE_THREAD__  // it maps memory of its own beside each
TEST(Fiber, StacksSideBySideAreOneMapping) {
  constexpr int guard_install = 102;
  void* page = mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  const bool can = madvise(page, 4096, guard_install) == 0;
  munmap(page, 4096);
  if (!can) GTEST_SKIP() << "before Linux 6.13 each guard is a mapping of its own";
  const auto mappings = [] {
    std::ifstream maps("/proc/self/maps");
    return std::count(std::istreambuf_iterator<char>(maps), {}, '\n');
  };
  constexpr int many = 200;
  const auto before = mappings();
  std::vector<std::unique_ptr<Fiber>> fibers;
  for (int i = 0; i < many; ++i)
    fibers.push_back(std::make_unique<Fiber>(
        stack, [](void*) {}, nullptr));
  EXPECT_LT(mappings() - before, many / 2);
}
#endif

TEST(Fiber, GoesOnWhereItWasLeft) {
  Coroutine coroutine([](Coroutine& self) {
    for (int i = 0; i < 3; ++i) {
      self.said += std::to_string(i);
      self.leave();
    }
  });
  for (int i = 0; i < 3; ++i) coroutine.enter();
  EXPECT_EQ(coroutine.said, "012");
  EXPECT_FALSE(coroutine.done);
  coroutine.enter();
  EXPECT_TRUE(coroutine.done);
}

void catch_and_leave(Coroutine& self, const std::string& name) {
  try {
    throw std::runtime_error(name);
  } catch (const std::exception& e) {
    self.leave();
    self.said += e.what();
    try {
      throw std::logic_error("inner " + name);
    } catch (...) {
      self.leave();
      try {
        throw;
      } catch (const std::logic_error& inner) {
        self.said += inner.what();
      }
    }
    self.leave();
    try {
      throw;  // rethrows what *this* fiber has caught
    } catch (const std::runtime_error& again) {
      self.said += again.what();
    }
  }
  if (std::current_exception()) self.said += "still handling";
}

TEST(Fiber, EachHasItsOwnExceptionsInFlight) {
  Coroutine one([](Coroutine& self) { catch_and_leave(self, "one"); });
  Coroutine two([](Coroutine& self) { catch_and_leave(self, "two"); });
  try {
    throw std::runtime_error("mine");
  } catch (...) {
    while (!one.done || !two.done) {
      if (!one.done) one.enter();
      if (!two.done) two.enter();
    }
    EXPECT_THROW(throw, std::runtime_error);
  }
  EXPECT_EQ(one.said, "oneinner oneone");
  EXPECT_EQ(two.said, "twoinner twotwo");
  EXPECT_EQ(std::current_exception(), nullptr);
}

struct LeavesWhenDestroyed {
  Coroutine& self;
  ~LeavesWhenDestroyed() {
    self.said += std::to_string(std::uncaught_exceptions());
    self.leave();
    self.said += std::to_string(std::uncaught_exceptions());
  }
};

TEST(Fiber, MayBeLeftWhileTheStackIsUnwound) {
  Coroutine coroutine([](Coroutine& self) {
    try {
      const LeavesWhenDestroyed guard{self};
      throw std::runtime_error("passing");
    } catch (const std::exception& e) {
      self.said += e.what();
    }
  });
  coroutine.enter();
  EXPECT_EQ(std::uncaught_exceptions(), 0);
  EXPECT_THROW(throw std::logic_error("elsewhere"), std::logic_error);
  coroutine.enter();
  EXPECT_EQ(coroutine.said, "11passing");
}

// Each time on an OS thread that has exceptions of its own.
TEST(Fiber, TakesItsExceptionsToAnotherOsThread) {
  Coroutine coroutine([](Coroutine& self) { catch_and_leave(self, "moved"); });
  while (!coroutine.done)
    std::thread([&coroutine] {
      heap::mutator();
      try {
        throw std::logic_error("of this OS thread");
      } catch (...) {
        coroutine.enter();
        EXPECT_THROW(throw, std::logic_error);
      }
      EXPECT_EQ(std::current_exception(), nullptr);
    }).join();
  EXPECT_EQ(coroutine.said, "movedinner movedmoved");
}

[[gnu::noinline]] std::size_t descend(std::size_t depth) {
  volatile unsigned char frame[512] = {};
  frame[depth % sizeof frame] = 1;
  return depth == 0 ? frame[0] : descend(depth - 1) + frame[depth % sizeof frame];
}

TEST(Fiber, HasTheStackItAskedFor) {
  Coroutine coroutine([](Coroutine& self) { self.said = std::to_string(descend(4000)); },
                      std::size_t{8} << 20U);
  coroutine.enter();
  EXPECT_TRUE(coroutine.done);
  EXPECT_EQ(coroutine.said, "4001");
}

// Of each frame little is touched; below a stack lies another, or who knows what.
template <std::size_t bytes>
[[gnu::noinline]] std::size_t descend_in_leaps(std::size_t depth) {
  volatile unsigned char frame[bytes];
  frame[0] = 1;
  return depth == 0 ? frame[0] : descend_in_leaps<bytes>(depth - 1) + frame[0];
}

template <std::size_t (*function)(std::size_t)>
void overflow() {
  catch_stack_overflow();
  const auto body = [](Coroutine& self) { self.said = std::to_string(function(1'000'000)); };
  Coroutine below(body);
  Coroutine coroutine(body);
  Coroutine above(body);
  coroutine.enter();
}

TEST(FiberDeathTest, AnOverflowNamesTheFlag) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "the sanitizer reports it in its own words";
#endif
  const testing::ExitedWithCode one(1);
  EXPECT_EXIT(overflow<descend>(), one, "--trawl:stack-size");
  EXPECT_EXIT(overflow<descend_in_leaps<16 << 10>>(), one, "--trawl:stack-size");
  EXPECT_EXIT(overflow<descend_in_leaps<8 << 20>>(), one, "--trawl:stack-size");
}

long twice(long n) {
  return 2 * n;
}

// What is only on suspended stacks stays; what was on stacks that are gone goes.
TEST(Fiber, TheCollectorSeesSuspendedStacks) {
  constexpr long many = 300;
  std::vector<std::unique_ptr<Coroutine>> coroutines;
  for (long i = 0; i < many; ++i) {
    coroutines.push_back(std::make_unique<Coroutine>([](Coroutine& self) {
      const auto number = std::stol(self.said);
      Lazy<std::vector<long>> held(std::vector<long>(100, number));
      self.leave();
      self.said = std::to_string(force(held).at(99));
    }));
    coroutines.back()->said = std::to_string(i);
    if (i % 2 == 0)
      coroutines.back()->enter();
    else  // left there, and gone on with here
      std::thread([&] {
        heap::mutator();
        coroutines.back()->enter();
      }).join();
  }
  for (int round = 0; round < 3; ++round) {
    heap::collect();
    for (long i = 0; i < 100'000; ++i) lazy<twice>(i);
  }
  for (long i = 0; i < many; ++i) {
    auto& coroutine = *coroutines[static_cast<std::size_t>(i)];
    coroutine.enter();
    ASSERT_EQ(coroutine.said, std::to_string(i));
  }
}

}  // namespace
}  // namespace trawl::sched
