#include "rts/sched/thread_pool.hpp"

namespace trawl::sched {
namespace {

// Only who holds the lock writes, so nothing has to be read and written at one stroke.
template <class T>
void add(std::atomic<T>& count, T more, std::memory_order order = std::memory_order_release) {
  count.store(count.load(std::memory_order_relaxed) + more, order);
}

}  // namespace

void ThreadPool::push(Thread& thread) noexcept {
  const std::lock_guard lock(lock_);
  thread.next_ = nullptr;
  (newest_ != nullptr ? newest_->next_ : oldest_) = &thread;
  newest_ = &thread;
  add<std::size_t>(size_, 1);
  // Before whoever adds it looks for an idle worker, see Worker::park.
  if (thread.bound_to_ == nullptr) add<std::size_t>(movable_, 1, std::memory_order_seq_cst);
}

bool ThreadPool::any_urgent() const noexcept {
  if (movable() == 0) return false;
  const std::lock_guard lock(lock_);
  for (const Thread* thread = oldest_; thread != nullptr; thread = thread->next_)
    if (thread->bound_to_ == nullptr && !thread->waits_its_turn()) return true;
  return false;
}

Thread* ThreadPool::take(const Worker& worker, Whom whom) noexcept {
  if (size_.load(std::memory_order_relaxed) == 0) return nullptr;
  const std::lock_guard lock(lock_);
  Thread* before = nullptr;
  for (Thread* thread = oldest_; thread != nullptr; before = thread, thread = thread->next_) {
    if (thread->bound_to_ != nullptr && thread->bound_to_ != &worker) continue;
    if (whom == Whom::urgent && thread->bound_to_ == nullptr && thread->waits_its_turn()) continue;
    (before != nullptr ? before->next_ : oldest_) = thread->next_;
    if (newest_ == thread) newest_ = before;
    add<std::size_t>(size_, -std::size_t{1});
    if (thread->bound_to_ == nullptr) add<std::size_t>(movable_, -std::size_t{1});
    add<std::uint64_t>(taken_, 1);
    return thread;
  }
  return nullptr;
}

}  // namespace trawl::sched
