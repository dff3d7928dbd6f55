// Workers that step in while all others are inside long functions.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <semaphore>
#include <thread>

#include "rts/sched/workers.hpp"

namespace trawl::sched {

/// A thread whose value has come runs again within 10 ms, whatever the workers of its PE are inside
/// of: if none takes it, a spare worker does, which runs such threads only.
class Spares {
 public:
  explicit Spares(Workers& workers) : workers_(workers) {}
  /// Waits for the threads that they run.
  ~Spares();
  Spares(const Spares&) = delete;
  Spares& operator=(const Spares&) = delete;

  /// To be called by one OS thread, every 6 ms at least: calls a spare worker when a thread has
  /// waited since an earlier look. How long until the next look; `never` if none waits.
  Nanos look(Nanos now);

 private:
  struct Spare {
    Spare(Spares& spares, Worker& its_worker)
        : worker(its_worker), os_thread([this, &spares] { spares.serve(*this); }) {}
    Worker& worker;
    std::binary_semaphore called{1};
    std::atomic<bool> sleeping{false};
    std::thread os_thread;
  };

  void serve(Spare& spare);
  void call_one();

  Workers& workers_;
  std::atomic<bool> leaving_{false};
  std::deque<Spare> spares_;
  Nanos waits_since_ = never;
  std::uint64_t taken_ = 0;
};

}  // namespace trawl::sched
