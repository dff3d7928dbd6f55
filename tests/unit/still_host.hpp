// A worker's host and fabric with which nothing happens: tests that play a PE say what is different
// in theirs.
#pragma once

#include <cstdlib>
#include <optional>

#include <gtest/gtest.h>

#include "rts/fabric/fabric.hpp"
#include "rts/sched/workers.hpp"

namespace trawl::test {

class StillFabric : public fabric::Fabric {
 public:
  int self() const noexcept override { return 0; }
  int size() const noexcept override { return 2; }
  std::size_t limit() const noexcept override { return 4096; }
  void send(int, std::span<const std::byte>) override {}
  std::optional<fabric::Arrival> poll() override { return std::nullopt; }
  bool flushed() override { return true; }
  Nanos now() const noexcept override { return 0; }
};

class StillHost : public sched::Host {
 public:
  std::mutex& lock() noexcept override { std::abort(); }
  heap::SharedHeap& shared_heap() noexcept override { std::abort(); }
  const heap::GlobalAddressTable& addresses() const noexcept override { return addresses_; }
  const balance::Tables& tables() const noexcept override { std::abort(); }
  sched::Bounds& bounds() noexcept override { std::abort(); }
  sched::Objects& objects() noexcept override { std::abort(); }
  bool poll(sched::Worker*) override { return true; }
  bool stopping() const noexcept override { return false; }
  void fail(const std::string& why, int) override { FAIL() << why; }
  void fail_without_memory() noexcept override { std::abort(); }

 protected:
  ~StillHost() = default;

 private:
  heap::GlobalAddressTable addresses_{0, 2, 1024};
};

}  // namespace trawl::test
