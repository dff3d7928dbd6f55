// A worker's host in which nothing happens: tests that play a PE say what is different in theirs.
#pragma once

#include <cstdlib>

#include <gtest/gtest.h>

#include "rts/sched/worker.hpp"

namespace trawl::test {

class StillHost : public sched::Host {
 public:
  std::mutex& lock() noexcept override { std::abort(); }
  heap::SharedHeap& shared_heap() noexcept override { std::abort(); }
  Nanos now() const noexcept override { return 0; }
  Nanos last_poll() const noexcept override { return now(); }
  bool poll(sched::Worker*) override { return true; }
  progress::EventCount& events() noexcept override { return events_; }
  Nanos longest_sleep() const noexcept override { return 0; }
  bool waiting() const noexcept override { return false; }
  bool under_way() const noexcept override { return false; }
  void fail(const std::string& why, int) override { FAIL() << why; }
  void fail_without_memory() noexcept override { std::abort(); }
  bool stopping() const noexcept override { return false; }
  trace::Log* log() noexcept override { return nullptr; }
  void (*pause() const noexcept)(sched::Worker&) override { return nullptr; }

 protected:
  ~StillHost() = default;

 private:
  progress::EventCount events_{};
};

}  // namespace trawl::test
