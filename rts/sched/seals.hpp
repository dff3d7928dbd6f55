// What keeps a thread's unsynced calls safe in the pools of workers that it has left.
#pragma once

#include <boost/container/small_vector.hpp>

#include "rts/sched/spark_pool.hpp"

namespace trawl::sched {

/// A thread that blocks may go on on another worker, but the calls that it has not synced stay in
/// the pool where it made them, under a seal (SparkPool::seal). README.md, Threads move.
class Seals {
 public:
  Seals() = default;
  Seals(const Seals&) = delete;
  Seals& operator=(const Seals&) = delete;
  ~Seals() { drop(); }

  /// The owner of `pool` is about to leave this thread. False: the thread has to come back to it.
  bool put(SparkPool& pool);
  /// The thread goes on with the owner of `pool`.
  void lift(SparkPool& pool);
  /// The thread has ended, and synced or withdrawn all calls.
  void drop() noexcept;

 private:
  struct Seal {
    SparkPool* pool;
    Slot* slot;
  };
  boost::container::small_vector<Seal, 1> seals_;  // newest last
};

}  // namespace trawl::sched
