#include "rts/sched/spark_pool.hpp"

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

SparkPool::SparkPool(std::size_t capacity) : slots_(capacity + 1) {
  end_ = slots_.data() + slots_.size();
  bottom_.store(slots_.data() + 1, std::memory_order_relaxed);
  top_.store(slots_.data() + 1, std::memory_order_relaxed);
  heap::add_roots(*this);
}

// From one below the top: that one a thief may have taken and not yet read.
std::span<const std::byte> SparkPool::roots() const noexcept {
  const Slot* top = top_.load(std::memory_order_relaxed) - 1;
  const Slot* bottom = bottom_.load(std::memory_order_relaxed);
  return std::as_bytes(std::span(top, bottom > top ? bottom : top));
}

// Looking for what has fizzled takes as long as the pool is full: not for each spark that a program
// makes too many of.
bool SparkPool::push_at_end(Spark spark) noexcept {
  const auto enough = slots_.size() / 8;
  const auto* first = slots_.data() + 1;
  {
    const std::lock_guard lock(thieves_);
    const auto taken = static_cast<std::size_t>(top_.load(std::memory_order_relaxed) - first);
    if (to_refuse_ != 0 && taken < enough) {
      --to_refuse_;
      return false;
    }
    compact();
    const bool full = bottom_.load(std::memory_order_relaxed) == end_;
    to_refuse_ = full ? enough : 0;
    if (full) return false;
  }
  return push(spark);
}

bool SparkPool::take_contended(Slot* newest) noexcept {
  bottom_.store(newest + 1, owner_order);
  const std::lock_guard lock(thieves_);
  if (top_.load(std::memory_order_relaxed) > newest) return false;
  bottom_.store(newest, owner_order);
  return true;
}

bool SparkPool::remove(Spark spark) noexcept {
  const std::lock_guard lock(thieves_);
  Slot* const top = top_.load(std::memory_order_relaxed);
  for (Slot* at = bottom_.load(std::memory_order_relaxed); at-- > top;) {
    if (at->load(std::memory_order_relaxed) != spark) continue;
    at->store(Spark(), std::memory_order_relaxed);
    return true;
  }
  return false;
}

heap::Node* SparkPool::take_newest() {
  while (true) {
    Slot* const bottom = bottom_.load(std::memory_order_relaxed);
    if (bottom <= top_.load(std::memory_order_relaxed)) return nullptr;
    const auto spark = (bottom - 1)->load(std::memory_order_relaxed);
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
    Slot* const top = top_.load(std::memory_order_relaxed);
    top_.store(top + 1, std::memory_order_seq_cst);
    if (!by_owner) heavy_fence();
    if (top + 1 > bottom_.load(std::memory_order_seq_cst)) {
      top_.store(top, std::memory_order_relaxed);
      return nullptr;
    }
    // Promoting with the lock held: the frame's owner waits for it in remove().
    if (heap::Node* node = taken(top->load(std::memory_order_relaxed))) return node;
  }
}

// Moves what has not fizzled to the beginning, in order; with the lock held, by the owner.
void SparkPool::compact() noexcept {
  Slot* const bottom = bottom_.load(std::memory_order_relaxed);
  Slot* const top = top_.load(std::memory_order_relaxed);
  Slot* kept = slots_.data() + 1;
  // Before anything moves: the collector, which may come at any moment, looks from here.
  top_.store(kept, std::memory_order_relaxed);
  std::atomic_signal_fence(std::memory_order_seq_cst);
  for (Slot* at = top; at != bottom; ++at) {
    const auto spark = at->load(std::memory_order_relaxed);
    if (!spark.fizzled())
      (kept++)->store(spark, std::memory_order_relaxed);
    else if (spark)
      fizzled_.fetch_add(1, std::memory_order_relaxed);
  }
  bottom_.store(kept, std::memory_order_release);
}

}  // namespace trawl::sched
