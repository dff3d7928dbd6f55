// Waiting for the first of several nodes.
#include <algorithm>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

#include "rts/inline/demand.hpp"
#include "rts/sched/static_guard.hpp"
#include "rts/sched/worker.hpp"

namespace trawl::sched {
namespace {

class FirstOf final : public heap::Waiter {
 public:
  FirstOf(Thread& thread, std::size_t nodes) : thread_(thread) { granted_.reserve(nodes); }

  // With the PE's lock held. Others may come before the thread goes on.
  void wake(heap::Node* node, bool granted) override {
    if (granted) granted_.push_back(node);
    if (!std::exchange(woken_, true)) thread_.wake(node, false);
  }

  const std::vector<heap::Node*>& granted() const noexcept { return granted_; }

 private:
  Thread& thread_;
  bool woken_ = false;
  std::vector<heap::Node*> granted_;
};

}  // namespace

void demand_any(std::span<heap::Node* const> nodes) {
  Worker& worker = worker_here();
  worker.let_others_run(Moment::in_thread);
  refuse_in_static();
  FirstOf waiter(worker.running_thread(), nodes.size());
  if (!worker.block_on(nodes, waiter)) {
    // One has finished, or has come back from a PE that has left or died: nobody else need make it.
    std::ranges::any_of(nodes, evaluate_if_left);
    return;
  }
  {
    auto& host = current_worker()->host();
    const std::lock_guard lock(host.lock());
    host.shared_heap().leave(nodes, waiter);
  }
  for (heap::Node* node : waiter.granted()) evaluate_apart(*current_worker(), node);
}

}  // namespace trawl::sched
