#include "rts/sched/spark_pool.hpp"

#include <algorithm>
#include <new>
#include <utility>

#include <sys/mman.h>

#include "rts/heap/code.hpp"
#include "rts/sched/recorder.hpp"

namespace trawl::sched {

// ---- Slot --------------------------------------------------------------------------------------

// A thief may clear a thunk's slot at any time: each of these looks at it once.

bool Slot::fizzled() const noexcept {
  const auto seen = what_.load(std::memory_order_relaxed);
  return kind_in(seen) == thunk && node_in(seen)->state() != heap::State::unevaluated;
}

heap::Node* Slot::promote() {
  const auto seen = what_.load(std::memory_order_relaxed);
  if (seen == 0 || kind_in(seen) == call_promoted) return nullptr;
  const auto& code = *reinterpret_cast<const heap::Code*>(seen & ~kind_mask);
  const void* where = kind_in(seen) == call ? arguments_.data() : arguments<Elsewhere>().arguments;
  heap::Node* node = code.promote(code, where);
  set(node, call_promoted);
  return node;
}

std::span<const std::byte> Slot::references(bool claimed) const noexcept {
  if (pinned()) return std::as_bytes(std::span(this, 1));
  if (claimed) return arguments_;
  return {};
}

bool Slot::forget_the_dead(bool (*lives)(const void*), bool claimed, bool newest) noexcept {
  const auto seen = what_.load(std::memory_order_relaxed);
  if (kind_in(seen) != thunk) return false;
  // Whoever has claimed it sees for himself that it has fizzled; so will who is about to take it
  // back, as he has begun to evaluate it. If nobody has claimed it, it may have been gone for long.
  const auto of_use = [newest](heap::State state) {
    return state == heap::State::unevaluated || (newest && state == heap::State::black_hole);
  };
  if ((claimed || of_use(node_in(seen)->state())) && lives(node_in(seen))) return false;
  clear();
  return true;
}

// ---- UntouchedPages ----------------------------------------------------------------------------

// A byte more, as the collector gives: what follows may be its heap, and who keeps the end of this
// memory would keep the first node there, and the whole list that it begins.
constexpr std::size_t beyond = 1;

// Not large ones: each of thousands of simulated PEs would have one for a few sparks.
void* UntouchedPages::get(std::size_t bytes) {
  void* memory = mmap(nullptr, bytes + beyond, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  madvise(memory, bytes, MADV_NOHUGEPAGE);
  return memory;
}

void UntouchedPages::give(void* memory, std::size_t bytes) noexcept {
  munmap(memory, bytes + beyond);
}

// ---- SparkPool ---------------------------------------------------------------------------------

SparkPool::SparkPool(std::size_t capacity, std::function<void()> noticed)
    : noticed_(std::move(noticed)), slots_(capacity + 2) {
  limit_ = &slots_.back();
  end_.store(limit_, std::memory_order_relaxed);
  quick_end_.store(slots_.data(), std::memory_order_relaxed);
  bottom_.store(first(), std::memory_order_relaxed);
  top_.store(first(), std::memory_order_relaxed);
  heap::add_roots(roots_);
}

namespace {
constinit std::atomic<bool> sparks_are_weak{true};
}  // namespace

void SparkPool::set_weak(bool weak) noexcept {
  sparks_are_weak = weak;
}

// One more than there seem to be: the newest, while its owner pushes it, or claims it.
void SparkPool::Roots::roots(void (*scan)(std::span<const std::byte>)) const noexcept {
  const Slot* bottom = pool_.bottom_.load(std::memory_order_relaxed);
  if (!sparks_are_weak)
    return scan(std::as_bytes(std::span<const Slot>(pool_.first(), bottom + 1)));
  for (const Slot* at = pool_.first(); at <= bottom; ++at)
    if (const auto references = at->references(at == bottom); !references.empty()) scan(references);
}

void SparkPool::Roots::forget_the_dead(bool (*lives)(const void*)) noexcept {
  if (!sparks_are_weak) return;
  const Slot* bottom = pool_.bottom_.load(std::memory_order_relaxed);
  const Slot* top = pool_.top_.load(std::memory_order_relaxed);
  std::uint64_t forgotten = 0;
  for (Slot* at = pool_.first(); at <= bottom; ++at) {
    if (!at->forget_the_dead(lives, at == bottom, at + 1 == bottom) || at == bottom) continue;
    ++forgotten;
    if (at < top) ++pool_.settled_;  // it was hidden, see skipped
  }
  if (forgotten == 0) return;
  pool_.fizzled_.fetch_add(forgotten, std::memory_order_release);
  pool_.to_refuse_ = 0;
}

// Who refuses at this moment has changed what is looked at here before, and is seen, or overwrites.
void SparkPool::allow_quick() noexcept {
  quick_end_.store(limit_);
  if (end_.load() != limit_) refuse_quick();
}

bool SparkPool::push_at_end(heap::Node* node, const void* caller) noexcept {
  if (recorder_ != nullptr) {
    recorder_->par(node, caller);
    return true;
  }
  if (has_to_look()) look_at(heap::logged_code(node), false, caller);
  if (push_slowly([node](Slot& slot) { slot.put(node); }) != nullptr) return true;
  refused_.fetch_add(1, std::memory_order_release);
  return false;
}

// nullptr: there is no room.
template <class Put>
Slot* SparkPool::push_slowly(Put put) noexcept {
  if (ask_) ask_();
  const bool watched = stop_watching();
  if (!make_room()) return nullptr;
  Slot* const bottom = bottom_.load(std::memory_order_relaxed);
  put(*bottom);
  bottom_.store(bottom + 1, std::memory_order_release);
  if (watched) noticed_();
  return bottom;
}

// In this order: whoever watches from here on has the next spark come this way.
bool SparkPool::stop_watching() noexcept {
  if (!ask_ && to_look_at_ == 0) end_.store(limit_);
  return watched_.exchange(false) && noticed_;
}

bool SparkPool::has_to_look() noexcept {
  if (tell_ && look_soon_.exchange(false)) to_look_at_ = a_burst;
  return to_look_at_ != 0;
}

void SparkPool::look_at(std::uint32_t code, bool call, const void* caller) noexcept {
  tell_(code, call, caller);
  --to_look_at_;
}

void SparkPool::always_ask(std::function<void()> ask) {
  ask_ = std::move(ask);
  end_.store(slots_.data(), std::memory_order_relaxed);
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
    return false;
  }
  compact();
  if (bottom_.load(std::memory_order_relaxed) != limit_) return true;
  to_refuse_ = enough;
  return false;
}

// A PE that is alone goes through its lists itself: then all that is here has fizzled, and would
// stay until the last slot is needed.
std::size_t SparkPool::room(std::size_t wanted) noexcept {
  if (recorder_ != nullptr) return SIZE_MAX;
  const auto capacity = slots_.size() - 2;
  Slot* const bottom = bottom_.load(std::memory_order_relaxed);
  looked_ = std::clamp(looked_, first(), bottom);
  const auto fresh = bottom - looked_;
  if (capacity - size() < wanted && fresh >= static_cast<std::ptrdiff_t>(capacity / 8)) {
    const std::lock_guard lock(thieves_);
    compact();
    looked_ = bottom_.load(std::memory_order_relaxed);
  }
  return capacity - size();
}

heap::Node* SparkPool::reclaim(Slot* slot, bool by_owner) noexcept {
  if (!in_array(slot)) return recorder_ != nullptr ? recorder_->reclaim(slot) : nullptr;
  const std::lock_guard lock(thieves_);
  heap::Node* node = slot->promoted();
  if (slot < top_.load(std::memory_order_relaxed) && skipped(*slot)) ++settled_;
  slot->clear();
  // Arguments that are still to be read must not lie further up: the collector looks no further.
  if (by_owner) trim(node != nullptr ? first() : slot);
  return node;
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
  const Slot* const top = top_.load(std::memory_order_relaxed);
  if (top > seal) ++settled_;
  seal->put_seal();
  bottom_.store(seal + 1, std::memory_order_release);
  if (top == seal) top_.store(seal + 1, std::memory_order_relaxed);
  return seal;
}

bool SparkPool::lift(Slot* seal) noexcept {
  const std::lock_guard lock(thieves_);
  Slot* newest = bottom_.load(std::memory_order_relaxed) - 1;
  while (newest != seal && newest->empty()) --newest;
  if (newest != seal) return false;
  seal->clear();
  trim(first());
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
heap::Node* SparkPool::take_newest(std::uint32_t* place) {
  while (true) {
    Slot* const newest = bottom_.load(std::memory_order_relaxed) - 1;
    if (newest->pinned()) {
      if (size() == 0) uncover(newest);
      return take_oldest(true, place);
    }
    if (newest->empty() && size() == 0) {
      // What an unfenced theft has hidden may still lie below, see take_oldest.
      if (newest < first()) return nullptr;
      const std::lock_guard lock(thieves_);
      trim(first());
      continue;
    }
    if (!claim(newest)) continue;
    heap::Node* const thunk = newest->heap_thunk();
    if (thunk == nullptr) {
      give_up(newest);
      continue;
    }
    newest->clear();
    if (place != nullptr) *place = place_of(newest);
    if (thunk->state() == heap::State::unevaluated) return thunk;
    fizzled_.fetch_add(1, std::memory_order_release);
  }
}

// What its owner has claimed and found empty: a thief, or nobody, has had it.
void SparkPool::give_up(const Slot* slot) noexcept {
  const std::lock_guard lock(thieves_);
  if (top_.load(std::memory_order_relaxed) > slot) top_.store(bottom_, std::memory_order_relaxed);
}

// Below top_: nobody has taken it. It was pushed after an unfenced theft from this slot, of what
// its owner has taken too.
bool SparkPool::skipped(const Slot& slot) const noexcept {
  return !slot.empty() && !slot.is_seal() && slot.promoted() == nullptr;
}

// A call that is hidden can be taken again.
void SparkPool::uncover(Slot* newest) noexcept {
  const std::lock_guard lock(thieves_);
  if (top_.load(std::memory_order_relaxed) <= newest || !skipped(*newest)) return;
  ++settled_;
  top_.store(newest, std::memory_order_relaxed);
}

std::uint64_t SparkPool::taken_twice() noexcept {
  const std::lock_guard lock(thieves_);
  const Slot* const bottom = bottom_.load(std::memory_order_acquire);
  const Slot* const top = top_.load(std::memory_order_relaxed);
  auto sum = settled_ + (top > bottom ? 1 : 0);
  for (const Slot* slot = first(); slot < std::min(top, bottom); ++slot) sum += skipped(*slot);
  return sum;
}

heap::Node* SparkPool::take_oldest(bool by_owner, std::uint32_t* place) {
  if (size() == 0) return nullptr;
  const std::lock_guard lock(thieves_);
  return take_oldest_locked(by_owner, place);
}

heap::Node* SparkPool::take_oldest_if_free(std::uint32_t* place) {
  if (size() == 0) return nullptr;
  const std::unique_lock lock(thieves_, std::try_to_lock);
  return lock.owns_lock() ? take_oldest_locked(false, place) : nullptr;
}

heap::Node* SparkPool::take_oldest_locked(bool by_owner, std::uint32_t* place) {
  while (true) {
    Slot* const top = top_.load(std::memory_order_relaxed);
    if (place != nullptr) *place = place_of(top);
    if (top >= bottom_.load(std::memory_order_acquire)) return nullptr;
    if (top->is_seal()) {  // its owner never comes down to it
      top_.store(top + 1, std::memory_order_seq_cst);
      continue;
    }
    if (top->empty()) {
      if (!skip_empty(top, by_owner)) return nullptr;
      continue;
    }
    // Without the fence both sides may get the same thunk, which is no harm, and what the owner
    // then pushes into its slot is hidden from thieves until he comes back to it.
    if (heap::Node* const thunk = top->heap_thunk()) {
      const bool fizzled = thunk->state() != heap::State::unevaluated;
      if (!top->clear(thunk)) continue;
      top_.store(top + 1, std::memory_order_seq_cst);
      if (!fizzled) return thunk;
      fizzled_.fetch_add(1, std::memory_order_release);
      continue;
    }
    top_.store(top + 1, std::memory_order_seq_cst);
    if (!by_owner) heavy_fence();
    if (top + 1 > bottom_.load(std::memory_order_seq_cst)) {
      top_.store(top, std::memory_order_relaxed);
      return nullptr;
    }
    if (top->heap_thunk() != nullptr) {  // its owner has taken the call, and pushed this
      top_.store(top, std::memory_order_relaxed);
      continue;
    }
    // Promoting with the lock held: the spawner waits for it in reclaim().
    if (heap::Node* node = top->promote()) {
      promoted_.fetch_add(1, std::memory_order_release);
      return node;
    }
  }
}

// What collections have left can be many slots: one fence for all of them. False: their owner has
// come below.
bool SparkPool::skip_empty(Slot* top, bool by_owner) noexcept {
  const Slot* bottom = bottom_.load(std::memory_order_acquire);
  Slot* end = top;
  while (end < bottom && end->empty()) ++end;
  top_.store(end, std::memory_order_seq_cst);
  if (!by_owner) heavy_fence();
  const bool below = end > bottom_.load(std::memory_order_seq_cst);
  // What was pushed here meanwhile is not to be hidden.
  Slot* at = top;
  while (!below && at != end && at->empty()) ++at;
  if (at != end) top_.store(at, std::memory_order_relaxed);
  return !below;
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
      fizzled_.fetch_add(1, std::memory_order_release);
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

// Drops what is empty at the owner's end, down to a slot; with the lock held, by the owner. So
// nested spawns find the pool as they left it, whatever was taken in between.
void SparkPool::trim(const Slot* not_below) noexcept {
  Slot* bottom = bottom_.load(std::memory_order_relaxed);
  Slot* top = top_.load(std::memory_order_relaxed);
  if (top > bottom) ++settled_;
  while (bottom > not_below && (bottom - 1)->empty()) --bottom;
  bottom_.store(bottom, std::memory_order_relaxed);
  if (top > bottom) top_.store(bottom, std::memory_order_relaxed);
}

// ---- OwnerEnd ----------------------------------------------------------------------------------

// The call lies above the newest spark, where there is a slot even at the limit.
Slot* OwnerEnd::push_call_at_end() {
  const void* const caller = __builtin_return_address(0);
  auto& pool = static_cast<SparkPool&>(*this);
  Slot* const bottom = bottom_.load(std::memory_order_relaxed);
  const Slot call = *bottom;
  bottom->clear();
  if (pool.recorder_ != nullptr) return pool.recorder_->spawn(call, caller);
  if (pool.has_to_look()) pool.look_at(call.call_code(), true, caller);
  Slot* slot = pool.push_slowly([&call](Slot& at) { at.put(call); });
  if (slot != nullptr) return slot;
  pool.refused_calls_.fetch_add(1, std::memory_order_release);
  return new Slot(call);
}

bool OwnerEnd::claim_contended(Slot* newest) noexcept {
  auto& pool = static_cast<SparkPool&>(*this);
  bottom_.store(newest + 1, owner_order);
  const std::lock_guard lock(pool.thieves_);
  if (const Slot* top = top_.load(std::memory_order_relaxed); top > newest) {
    if (!pool.skipped(*newest)) return false;
    pool.settled_ += static_cast<std::uint64_t>(top - newest);
    top_.store(newest, std::memory_order_relaxed);
  }
  bottom_.store(newest, owner_order);
  return true;
}

void OwnerEnd::discard(const Slot* slot) noexcept {
  const auto& pool = static_cast<SparkPool&>(*this);
  if (!pool.in_array(slot) && pool.recorder_ == nullptr) delete slot;
}

}  // namespace trawl::sched
