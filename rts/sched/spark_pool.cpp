#include "rts/sched/spark_pool.hpp"

#include <bit>

namespace trawl::sched {

heap::Node* Spark::take_node() const {
  if (bits_ == 0) return nullptr;
  if (framed()) return reinterpret_cast<Frame*>(bits_)->promote();
  return fizzled() ? nullptr : reinterpret_cast<heap::Node*>(bits_ & ~std::uintptr_t{1});
}

bool Spark::fizzled() const noexcept {
  if ((bits_ & 1U) == 0) return bits_ == 0;
  const auto* node = reinterpret_cast<const heap::Node*>(bits_ & ~std::uintptr_t{1});
  return node->state() != heap::State::unevaluated;
}

SparkPool::SparkPool(std::size_t capacity)
    : limit_(static_cast<Index>(std::bit_ceil(capacity))),
      mask_(limit_ - 1),
      slots_(new std::atomic<Spark>[static_cast<std::size_t>(limit_)]) {}

// Thieves read a slot only with the lock held, so moving the limit with the lock held keeps the owner
// from overwriting what one of them is about to read.
bool SparkPool::push_full(Spark spark) noexcept {
  {
    const std::lock_guard lock(thieves_);
    const auto capacity = mask_ + 1;
    if (bottom_.load(std::memory_order_relaxed) - top_.load(std::memory_order_relaxed) > capacity / 2)
      prune();
    const auto bottom = bottom_.load(std::memory_order_relaxed);
    limit_ = top_.load(std::memory_order_relaxed) + capacity;
    if (bottom == limit_) return false;
  }
  return push(spark);
}

bool SparkPool::take_contended(Index newest) noexcept {
  bottom_.store(newest + 1, owner_order);
  const std::lock_guard lock(thieves_);
  if (top_.load(std::memory_order_relaxed) > newest) return false;
  bottom_.store(newest, owner_order);
  return true;
}

bool SparkPool::remove(Spark spark) noexcept {
  const std::lock_guard lock(thieves_);
  const auto bottom = bottom_.load(std::memory_order_relaxed);
  const auto top = top_.load(std::memory_order_relaxed);
  for (auto i = bottom - 1; i >= top; --i) {
    if (slot(i).load(std::memory_order_relaxed) != spark) continue;
    slot(i).store(Spark(), std::memory_order_relaxed);
    return true;
  }
  return false;
}

heap::Node* SparkPool::take_newest() {
  while (true) {
    const auto bottom = bottom_.load(std::memory_order_relaxed);
    if (bottom <= top_.load(std::memory_order_relaxed)) return nullptr;
    const auto spark = slot(bottom - 1).load(std::memory_order_relaxed);
    if (!take_back(spark)) continue;
    if (heap::Node* node = taken(spark)) return node;
  }
}

heap::Node* SparkPool::taken(Spark spark) {
  heap::Node* node = spark.take_node();
  if (spark.framed())
    promoted_.fetch_add(1, std::memory_order_relaxed);
  else if (spark && node == nullptr)
    fizzled_.fetch_add(1, std::memory_order_relaxed);
  return node;
}

heap::Node* SparkPool::take_oldest(bool by_owner) {
  if (size() == 0) return nullptr;
  const std::lock_guard lock(thieves_);
  while (true) {
    const auto top = top_.load(std::memory_order_relaxed);
    top_.store(top + 1, std::memory_order_seq_cst);
    if (!by_owner) heavy_fence();
    if (top + 1 > bottom_.load(std::memory_order_seq_cst)) {
      top_.store(top, std::memory_order_relaxed);
      return nullptr;
    }
    // Promoting with the lock held: the frame's owner waits for it in remove().
    if (heap::Node* node = taken(slot(top).load(std::memory_order_relaxed))) return node;
  }
}

// Drops what has fizzled; keeps the order.
void SparkPool::prune() noexcept {
  const auto bottom = bottom_.load(std::memory_order_relaxed);
  auto kept = top_.load(std::memory_order_relaxed);
  for (auto i = kept; i != bottom; ++i) {
    const auto spark = slot(i).load(std::memory_order_relaxed);
    if (!spark.fizzled())
      slot(kept++).store(spark, std::memory_order_relaxed);
    else if (spark)
      fizzled_.fetch_add(1, std::memory_order_relaxed);
  }
  bottom_.store(kept, std::memory_order_release);
}

}  // namespace trawl::sched
