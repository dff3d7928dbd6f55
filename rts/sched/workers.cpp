#include "rts/sched/workers.hpp"

#include <algorithm>
#include <limits>
#include <mutex>
#include <new>
#include <utility>

#include "rts/heap/code.hpp"
#include "rts/heap/collect.hpp"
#include "rts/heap/lineage.hpp"
#include "rts/inline/error.hpp"
#include "rts/progress/progress_thread.hpp"
#include "rts/sched/objects.hpp"

namespace trawl::sched {

static_assert(most_workers + Workers::most_spares <= trace::max_workers);

Workers::Workers(const Setup& setup, Host& host, fabric::Fabric& fabric, progress::State& state)
    : Engine(fabric.events(), state),
      setup_(setup),
      host_(host),
      fabric_(fabric),
      limit_(setup.options.thread_limit),
      splits_(heap::CodeTable::get().size()),
      regular_(static_cast<std::size_t>(setup.workers)),
      count_(regular_),
      all_(regular_ + most_spares) {
  for (int i = 0; i < setup.workers; ++i)
    all_[static_cast<std::size_t>(i)] = std::make_unique<Worker>(*this, i, setup.options);
}

Workers::~Workers() = default;

progress::Undone Workers::undone() const noexcept {
  return {fabric_.waiting(), state().under_way, std::min(state().due.load(), fabric_.due())};
}

progress::Situation Workers::situation() const noexcept {
  progress::Situation now;
  now.now = fabric_.now();
  now.undone = undone();
  now.all_notify = fabric_.all_notify();
  now.polled = events().polled();
  now.busy = anybody_busy();
  now.urgent = threads_.any_urgent();
  now.bound = threads_.size() - threads_.movable();
  now.taken = threads_.taken();
  return now;
}

bool Workers::look() {
  heap::mutator();
  return !anybody_busy() || host_.poll(nullptr);
}

std::function<void()> Workers::add_spare() {
  const auto count = count_.load(std::memory_order_relaxed);
  if (count == all_.size()) return {};
  all_[count] = std::make_unique<Worker>(*this, static_cast<int>(count), setup_.options, true);
  count_.store(count + 1, std::memory_order_release);
  return [this, &worker = *all_[count]] {
    try {
      if (this_worker == nullptr) {
        heap::mutator();
        progress::wake_up_on_time();
        catch_stack_overflow();
        worker.attach(std::make_unique<Fiber>());
        worker.begin_life();
      }
      const auto throttle = setup_.throttle ? setup_.throttle(worker) : nullptr;
      worker.relieve();
      if (throttle != nullptr) throttle->settle();
    } catch (const Error& e) {  // no memory for what a thread needs to block
      host_.fail(e.what(), e.exit_code());
    } catch (const std::bad_alloc&) {
      host_.fail_without_memory();
    }
  };
}

Thread& Workers::new_thread() {
  auto thread = std::make_unique<Thread>(*this, setup_.options.stack_size);
  const std::lock_guard lock(all_threads_lock_);
  thread->index_ = all_threads_.size();
  all_threads_.push_back(std::move(thread));
  return *all_threads_.back();
}

void Workers::delete_thread(Thread& thread) {
  const std::lock_guard lock(all_threads_lock_);
  all_threads_.back()->index_ = thread.index_;
  std::swap(all_threads_[thread.index_], all_threads_.back());
  all_threads_.pop_back();
}

// Who is between two threads takes it himself.
void Workers::make_runnable(Thread& thread) noexcept {
  Worker* const bound_to = thread.bound_to_;
  threads_.push(thread);
  if (bound_to != nullptr) {
    if (bound_to != this_worker) bound_to->wake_up();
    return;
  }
  const bool ours = this_worker != nullptr && &this_worker->workers() == this;
  if (!ours || this_worker->running() || threads_.movable() > 1) wake_another();
}

void Workers::add_arrived(heap::Node* spark) {
  add(spark->code().placed ? placed_ : imported_, spark);
}

void Workers::add(SparkQueue& queue, heap::Node* spark) {
  queue.add(spark);
  // An idle worker who has polled takes it, and wakes another for what he leaves.
  const bool ours = this_worker != nullptr && &this_worker->workers() == this;
  if (!ours || !this_worker->idle()) wake_another();
}

heap::Node* Workers::take_imported() {
  for (SparkQueue* queue : {&placed_, &imported_, &backups_}) {
    if (queue == &imported_ && crowded()) continue;
    if (heap::Node* const spark = queue == &imported_ ? take_unless_it_waits() : queue->take())
      return spark;
  }
  return nullptr;
}

// A PE that leaves takes what there is, and holds the lock.
heap::Node* Workers::take_unless_it_waits() {
  const auto sparks = imported_.size();
  if (sparks == 0 || leaving() || awaited_.load(std::memory_order_relaxed) == nullptr)
    return imported_.take();
  const std::lock_guard lock(host_.lock());
  const heap::Node* const awaited = awaited_;
  if (awaited == nullptr || begins_all_the_same_()) return imported_.take();
  for (std::size_t i = 0; i < sparks; ++i) {
    heap::Node* const spark = imported_.take();
    if (spark == nullptr || !heap::is_argument_of(spark, awaited)) return spark;
    imported_.add(spark);
  }
  if (load().sparks <= imported_.size()) crowd_ = awaited;  // it has no others
  return nullptr;
}

FoundSpark Workers::take_from_siblings(Worker& self) {
  const auto workers = all();
  auto next = self.random(workers.size());
  for (std::size_t i = 0; i < workers.size(); ++i, ++next) {
    if (next == workers.size()) next = 0;
    if (workers[next].get() == &self) continue;
    std::uint32_t place = 0;
    if (heap::Node* node = workers[next]->pool.take_oldest_if_free(&place))
      return {node, workers[next].get(), place};
  }
  return {};
}

std::uint32_t Workers::spare_sparks() const noexcept {
  const auto sparks = load().sparks;
  return may_start_thread() ? sparks - std::min(sparks, without_work()) : sparks;
}

std::uint32_t Workers::without_work() const noexcept {
  return static_cast<std::uint32_t>(std::count_if(
      regular().begin(), regular().end(), [](const auto& worker) { return !worker->running(); }));
}

void Workers::watch_for_sparks() noexcept {
  for (const auto& worker : all()) worker->pool.watch();
}

bool Workers::watching_for_sparks() const noexcept {
  const auto workers = all();
  return std::all_of(workers.begin(), workers.end(),
                     [](const auto& worker) { return worker->pool.watched(); });
}

void Workers::seek_data() noexcept {
  for (const auto& worker : all()) worker->pool.refuse_quick();
}

FoundSpark Workers::take_for_export(Worker* by) {
  if (spare_sparks() == 0) return {};
  std::uint32_t place = 0;
  for (const auto& worker : all())
    if (heap::Node* node = worker->pool.take_oldest(worker.get() == by, &place))
      return {node, worker.get(), place};
  return {imported_.take()};
}

void Workers::make_room_for_blocked() {
  if (blocked_.size() == blocked_.capacity()) blocked_.reserve(2 * blocked_.size() + 1);
}

void Workers::note_blocked(Thread& thread) {
  thread.place_ = blocked_.size();
  blocked_.push_back(&thread);
  blocked_count_.store(blocked_.size(), std::memory_order_relaxed);
  if (!std::exchange(thread.has_blocked_, true)) ++block_in_a_row_;
  if (begins_all_the_same_) note_crowd(thread.waiting_for_);
}

void Workers::note_crowd(heap::Node* node) {
  if (is_coming(node)) {
    const auto threads = static_cast<std::ptrdiff_t>(regular_);
    const auto waiting = std::ranges::count(blocked_, node, &Thread::waiting_for_);
    if (waiting >= threads) awaited_ = node;
    if (waiting > threads) {
      crowd_until_ = never;
      crowd_ = node;
    }
    if (comes_soon(node)) soon_ = node;
  }
  if (soon_ == nullptr || crowd_ != nullptr) return;
  if (blocked_.size() <= regular_ || block_in_a_row_ <= regular_ + 1) return;
  constexpr Nanos soon = 20'000'000;  // who has it may be held up
  crowd_until_ = fabric_.now() + soon;
  crowd_ = soon_;
}

bool Workers::is_crowd_over() const noexcept {
  const auto until = crowd_until_.load(std::memory_order_relaxed);
  return until != never && fabric_.now() >= until;
}

bool Workers::is_coming(heap::Node* node) const {
  return node->state() == heap::State::fetching &&
         host_.shared_heap().addresses().known_evaluated(node);
}

// From near by, and as far as is known not large.
bool Workers::comes_soon(heap::Node* node) const {
  const auto& addresses = host_.shared_heap().addresses();
  const auto target = addresses.target(node);
  return target && !addresses.large_at(node) &&
         !host_.tables().is_far(static_cast<int>(target->at.pe));
}

void Workers::note_woken(Thread& thread) {
  if (soon_ == thread.waiting_for_) soon_ = nullptr;
  if (crowd_ == thread.waiting_for_) {
    crowd_ = nullptr;
    if (regular_ > 1 && load().sparks != 0) wake_all();
  }
  if (awaited_ == thread.waiting_for_) awaited_ = nullptr;
  thread.waiting_for_ = nullptr;
  blocked_.back()->place_ = thread.place_;
  blocked_[thread.place_] = blocked_.back();
  blocked_.pop_back();
  blocked_count_.store(blocked_.size(), std::memory_order_relaxed);
}

Nanos Workers::busy_time() const noexcept {
  Nanos busy = 0;
  for (const auto& worker : all()) busy += worker->life_time() - worker->idle_time();
  return busy;
}

balance::Load Workers::load() const noexcept {
  balance::Load load;
  load.sparks = static_cast<std::uint32_t>(imported_.size());
  // What nobody else can take is no spark to others, nor is what only idle fast ones get.
  auto runnable = threads_.size() + placed_.size() + backups_.size();
  for (const auto& worker : all()) {
    load.sparks += static_cast<std::uint32_t>(worker->pool.size());
    runnable += worker->running() ? 1U : 0U;
  }
  constexpr std::size_t most = std::numeric_limits<std::uint16_t>::max();
  load.runnable = static_cast<std::uint16_t>(std::min(runnable, most));
  return load;
}

// Who needs a spark evaluates it, at the thread limit too; but a guard needs none by name.
bool Workers::guards_hold_all_up() const noexcept {
  return !leaving() && all_blocked() && host_.objects().guards_wait();
}

unsigned Workers::live_threads() const noexcept {
  auto live = live_.load(std::memory_order_relaxed);
  for (const auto& worker : all()) live += worker->unsaid();
  return static_cast<unsigned>(live);
}

bool Workers::at_rest(const Worker* by) const noexcept {
  if (aside_.under_way() != 0) return false;  // asked first: who waits for it is runnable before
  const auto now = load();
  if (now.runnable != 0) return false;
  if (now.sparks != 0 && (leaving() || may_start_thread() || guards_hold_all_up())) return false;
  if (imported_.size() != 0 && all_blocked()) return false;
  for (const auto& worker : all())
    if (worker.get() != by && !worker->between_turns()) return false;
  return true;
}

bool Workers::anybody_busy() const noexcept {
  for (const auto& worker : regular())
    if (!worker->idle()) return true;
  return false;
}

std::size_t Workers::busy_besides() const noexcept {
  const auto spares = all().subspan(regular_);
  const auto busy = std::count_if(spares.begin(), spares.end(),
                                  [](const auto& worker) { return !worker->between_turns(); });
  return static_cast<std::size_t>(busy) + aside_.under_way();
}

std::size_t Workers::running() const noexcept {
  const auto workers = all();
  return static_cast<std::size_t>(std::count_if(
      workers.begin(), workers.end(), [](const auto& worker) { return worker->running(); }));
}

void Workers::wake_another() noexcept {
  for (const auto& worker : regular())
    if (worker->idle() && worker.get() != this_worker) return worker->wake_up();
}

void Workers::wake_all() noexcept {
  for (const auto& worker : regular()) worker->wake_up();
}

}  // namespace trawl::sched
