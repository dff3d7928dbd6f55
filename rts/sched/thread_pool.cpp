#include "rts/sched/thread_pool.hpp"

namespace trawl::sched {

void ThreadPool::push(Thread& thread) noexcept {
  const std::lock_guard lock(lock_);
  thread.next_ = nullptr;
  (newest_ != nullptr ? newest_->next_ : oldest_) = &thread;
  newest_ = &thread;
  size_.fetch_add(1);
  if (thread.bound_to_ == nullptr) movable_.fetch_add(1);
}

Thread* ThreadPool::take(const Worker& worker) noexcept {
  if (size_.load(std::memory_order_relaxed) == 0) return nullptr;
  const std::lock_guard lock(lock_);
  Thread* before = nullptr;
  for (Thread* thread = oldest_; thread != nullptr; before = thread, thread = thread->next_) {
    if (thread->bound_to_ != nullptr && thread->bound_to_ != &worker) continue;
    (before != nullptr ? before->next_ : oldest_) = thread->next_;
    if (newest_ == thread) newest_ = before;
    size_.fetch_sub(1);
    if (thread->bound_to_ == nullptr) movable_.fetch_sub(1);
    taken_.fetch_add(1, std::memory_order_relaxed);
    return thread;
  }
  return nullptr;
}

}  // namespace trawl::sched
