// Workers that step in while all others are inside long functions.
#pragma once

#include <atomic>
#include <deque>
#include <functional>
#include <semaphore>
#include <thread>
#include <utility>

#include "rts/progress/engine.hpp"

namespace trawl::progress {

/// A thread whose value has come runs again within 10 ms, whatever the workers of its PE are inside
/// of: if none takes it, a spare worker does, which runs such threads only.
class Spares {
 public:
  explicit Spares(Engine& engine) : engine_(engine) {}
  /// Waits for the threads that they run.
  ~Spares();
  Spares(const Spares&) = delete;
  Spares& operator=(const Spares&) = delete;

  /// To be called by one OS thread, whenever it looks: calls a spare worker when a thread has
  /// waited since an earlier look. The next look, at the latest; `never` if none waits.
  Nanos look(const Situation& situation);

 private:
  struct Spare {
    Spare(Spares& spares, std::function<void()> work)
        : relieve(std::move(work)), os_thread([this, &spares] { spares.serve(*this); }) {}
    std::function<void()> relieve;
    std::counting_semaphore<> called{1};
    std::atomic<bool> parked{false};
    std::thread os_thread;
  };

  void serve(Spare& spare);
  void call_one();

  Engine& engine_;
  SparePolicy policy_;
  std::atomic<bool> leaving_{false};
  std::deque<Spare> spares_;
  std::function<void()> unstarted_;  // there was no OS thread for it
};

}  // namespace trawl::progress
