// Calls that wait for the world outside, on OS threads that are no workers.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <mutex>
#include <thread>
#include <vector>

#include "rts/inline/node.hpp"
#include "rts/sched/giving.hpp"
#include "rts/sched/host.hpp"

namespace trawl::sched {

class Aside {
 public:
  /// So many at a time; others wait for one to end.
  static constexpr std::size_t most_threads = 64;

  struct Call {
    void (*function)(void*);
    void* argument;
    heap::Node* done;  ///< a promise of a bool, which is kept when the call has ended
  };

  Aside(Host& host, Gives& gives) : host_(host), gives_(gives) {}
  /// Waits for those that have not ended.
  ~Aside();
  Aside(const Aside&) = delete;
  Aside& operator=(const Aside&) = delete;

  /// Makes the call on another OS thread, soon. Throws Error if there is none.
  void add(const Call& call);

  /// How many have not ended, or those who wait for them are not awake yet.
  std::size_t under_way() const noexcept { return under_way_.load(); }

 private:
  void serve();
  bool take(Call& call);
  void make(const Call& call);

  Host& host_;
  Gives& gives_;
  std::mutex lock_;
  std::condition_variable come_;
  std::deque<Call> waiting_;
  std::vector<std::thread> threads_;
  std::size_t free_ = 0;
  bool leaving_ = false;
  std::atomic<std::size_t> under_way_{0};
};

}  // namespace trawl::sched
