#include "rts/sched/spark_pool.hpp"

#include <algorithm>
#include <utility>

namespace trawl::sched {

// ---- Slot --------------------------------------------------------------------------------------

// A thief may clear a thunk's slot at any time (take_thunk): each of these looks at it once.

bool Slot::fizzled() const noexcept {
  const auto seen = what_.load(std::memory_order_relaxed);
  return kind_in(seen) == thunk && node_in(seen)->state() != heap::State::unevaluated;
}

heap::Node* Slot::take() {
  const auto seen = what_.load(std::memory_order_relaxed);
  if (seen == 0) return nullptr;
  if (kind_in(seen) == thunk) {
    clear();
    return node_in(seen)->state() == heap::State::unevaluated ? node_in(seen) : nullptr;
  }
  if (kind_in(seen) == call_promoted) return nullptr;
  const auto& code = *reinterpret_cast<const heap::Code*>(seen & ~kind_mask);
  const void* where = kind_in(seen) == call ? arguments_.data() : arguments<Elsewhere>().arguments;
  heap::Node* node = code.promote(where);
  set(node, call_promoted);
  return node;
}

std::optional<heap::Node*> Slot::take_thunk() noexcept {
  auto seen = what_.load(std::memory_order_acquire);
  if (kind_in(seen) != thunk) return std::nullopt;
  auto* node = node_in(seen);
  const bool fizzled = node->state() != heap::State::unevaluated;
  // By now something newer may lie here: that stays.
  what_.compare_exchange_strong(seen, 0, std::memory_order_relaxed);
  return fizzled ? nullptr : node;
}

// ---- SparkPool ---------------------------------------------------------------------------------

SparkPool::SparkPool(std::size_t capacity, std::function<void()> noticed)
    : noticed_(std::move(noticed)), slots_(capacity + 2) {
  limit_ = &slots_.back();
  end_.store(limit_, std::memory_order_relaxed);
  bottom_.store(first(), std::memory_order_relaxed);
  top_.store(first(), std::memory_order_relaxed);
  heap::add_roots(roots_);
}

// One more than there seem to be: the newest, while its owner pushes it, or claims it in vain.
std::span<const std::byte> SparkPool::Roots::roots() const noexcept {
  const Slot* bottom = pool_.bottom_.load(std::memory_order_relaxed);
  return std::as_bytes(std::span(pool_.slots_.data() + 1, bottom + 1));
}

bool SparkPool::push_at_end(heap::Node* node) noexcept {
  return push_slowly([node](Slot& slot) { slot.put(node); }) != nullptr;
}

// The call lies above the newest spark, where there is a slot even at the limit.
Slot* SparkPool::push_call_at_end() {
  Slot* const bottom = bottom_.load(std::memory_order_relaxed);
  const Slot call = *bottom;
  bottom->clear();
  Slot* slot = push_slowly([&call](Slot& at) { at.put(call); });
  return slot != nullptr ? slot : new Slot(call);
}

// nullptr: there is no room.
template <class Put>
Slot* SparkPool::push_slowly(Put put) noexcept {
  const bool watched = stop_watching();
  if (!make_room()) return nullptr;
  Slot* const bottom = bottom_.load(std::memory_order_relaxed);
  put(*bottom);
  bottom_.store(bottom + 1, std::memory_order_release);
  if (watched) noticed_();
  return bottom;
}

bool SparkPool::stop_watching() noexcept {
  return end_.exchange(limit_, std::memory_order_relaxed) != limit_ && noticed_;
}

// Looking for what has fizzled takes as long as the pool is full: not for each spark that a program
// makes too many of.
bool SparkPool::make_room() noexcept {
  if (bottom_.load(std::memory_order_relaxed) != limit_) return true;
  const auto enough = (slots_.size() - 2) / 8;
  const std::lock_guard lock(thieves_);
  const auto taken = static_cast<std::size_t>(top_.load(std::memory_order_relaxed) - first());
  if (to_refuse_ != 0 && taken < enough) {
    --to_refuse_;
    refused_.fetch_add(1, std::memory_order_relaxed);
    return false;
  }
  compact();
  if (bottom_.load(std::memory_order_relaxed) != limit_) return true;
  to_refuse_ = enough;
  refused_.fetch_add(1, std::memory_order_relaxed);
  return false;
}

bool SparkPool::claim_contended(Slot* newest) noexcept {
  bottom_.store(newest + 1, owner_order);
  const std::lock_guard lock(thieves_);
  if (top_.load(std::memory_order_relaxed) > newest) {
    if (newest->empty() || newest->promoted() != nullptr) return false;
    // Nobody has taken it: it was pushed in the moment of an unfenced theft from this slot.
    top_.store(newest, std::memory_order_relaxed);
  }
  bottom_.store(newest, owner_order);
  return true;
}

heap::Node* SparkPool::reclaim(Slot* slot, bool by_owner) noexcept {
  if (!in_array(slot)) return nullptr;
  const std::lock_guard lock(thieves_);
  heap::Node* node = slot->promoted();
  slot->clear();
  if (by_owner) trim();
  return node;
}

void SparkPool::discard(const Slot* slot) noexcept {
  if (!in_array(slot)) delete slot;
}

// Looking further would take longer than a needless seal costs.
bool SparkPool::holds_calls(const Slot* end) const noexcept {
  constexpr int far = 64;
  for (int looked = 0; end != slots_.data() + 1; ++looked) {
    --end;
    if (end->is_seal()) return false;
    if (end->pinned() || looked == far) return true;
  }
  return false;
}

std::optional<Slot*> SparkPool::seal() noexcept {
  if (!holds_calls(bottom_.load(std::memory_order_relaxed))) return nullptr;
  const std::lock_guard lock(thieves_);
  if (bottom_.load(std::memory_order_relaxed) == limit_) compact();
  if (bottom_.load(std::memory_order_relaxed) == limit_) return std::nullopt;
  Slot* const seal = bottom_.load(std::memory_order_relaxed);
  seal->put_seal();
  bottom_.store(seal + 1, std::memory_order_release);
  if (top_.load(std::memory_order_relaxed) == seal) top_.store(seal + 1, std::memory_order_relaxed);
  return seal;
}

bool SparkPool::lift(Slot* seal) noexcept {
  const std::lock_guard lock(thieves_);
  Slot* newest = bottom_.load(std::memory_order_relaxed) - 1;
  while (newest != seal && newest->empty()) --newest;
  if (newest != seal) return false;
  seal->clear();
  trim();
  return true;
}

void SparkPool::drop(Slot* seal) noexcept {
  const std::lock_guard lock(thieves_);
  seal->clear();
}

bool SparkPool::drop_if_needless(Slot* seal) noexcept {
  const std::lock_guard lock(thieves_);
  if (holds_calls(seal)) return false;
  seal->clear();
  return true;
}

// Of calls the oldest: a promoted one stays in its slot, and must lie below top_ so that claim()
// fails for its spawner.
heap::Node* SparkPool::take_newest() {
  while (true) {
    Slot* const newest = bottom_.load(std::memory_order_relaxed) - 1;
    if (newest->pinned()) return take_oldest(true);
    if (newest->empty() && size() == 0) {
      // What an unfenced theft has hidden may still lie below, see take_oldest.
      if (newest < first()) return nullptr;
      const std::lock_guard lock(thieves_);
      trim();
      continue;
    }
    if (!claim(newest)) continue;
    if (heap::Node* node = taken(*newest)) return node;
  }
}

heap::Node* SparkPool::taken(Slot& slot) {
  const bool thunk = !slot.empty() && !slot.pinned();
  heap::Node* node = slot.take();
  if (thunk && node == nullptr) fizzled_.fetch_add(1, std::memory_order_relaxed);
  if (!thunk && node != nullptr) promoted_.fetch_add(1, std::memory_order_relaxed);
  return node;
}

heap::Node* SparkPool::take_oldest(bool by_owner) {
  if (size() == 0) return nullptr;
  const std::lock_guard lock(thieves_);
  while (true) {
    Slot* const top = top_.load(std::memory_order_relaxed);
    if (top >= bottom_.load(std::memory_order_acquire)) return nullptr;
    if (top->is_seal()) {  // its owner never comes down to it
      top_.store(top + 1, std::memory_order_seq_cst);
      continue;
    }
    // Without the fence both sides may get the same thunk, which is no harm, and what the owner
    // pushes into its slot in the same moment is hidden from thieves until he comes back to it.
    const auto thunk = top->take_thunk();
    top_.store(top + 1, std::memory_order_seq_cst);
    if (thunk) {
      if (*thunk != nullptr) return *thunk;
      fizzled_.fetch_add(1, std::memory_order_relaxed);
      continue;
    }
    if (!by_owner) heavy_fence();
    if (top + 1 > bottom_.load(std::memory_order_seq_cst)) {
      top_.store(top, std::memory_order_relaxed);
      return nullptr;
    }
    // Promoting with the lock held: the spawner waits for it in reclaim().
    if (heap::Node* node = taken(*top)) return node;
  }
}

// Moves thunks that have not fizzled towards the beginning, in order, around the calls and not
// below a promoted one; with the lock held, by the owner.
void SparkPool::compact() noexcept {
  Slot* const bottom = bottom_.load(std::memory_order_relaxed);
  Slot* begin = top_.load(std::memory_order_relaxed);
  Slot* const top = begin;
  while (begin != first() && (begin - 1)->empty()) --begin;
  Slot* room = begin;
  Slot* end = begin;
  for (Slot* at = top; at != bottom; ++at) {
    if (at->fizzled()) {
      at->clear();
      fizzled_.fetch_add(1, std::memory_order_relaxed);
    }
    if (at->empty()) continue;
    while (room != at && !room->empty()) ++room;
    const bool moves = room != at && !at->pinned();
    if (moves) room->take_over(*at);
    end = std::max(end, (moves ? room : at) + 1);
  }
  top_.store(begin, std::memory_order_relaxed);
  bottom_.store(end, std::memory_order_release);
}

// Drops what is empty at the owner's end; with the lock held, by the owner. So nested spawns find
// the pool as they left it, whatever was taken in between.
void SparkPool::trim() noexcept {
  Slot* bottom = bottom_.load(std::memory_order_relaxed);
  Slot* top = top_.load(std::memory_order_relaxed);
  while (bottom != first() && (bottom - 1)->empty()) --bottom;
  bottom_.store(bottom, std::memory_order_relaxed);
  if (top > bottom) top_.store(bottom, std::memory_order_relaxed);
}

}  // namespace trawl::sched
