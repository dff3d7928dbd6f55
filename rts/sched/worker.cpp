#include "rts/sched/worker.hpp"

#include <algorithm>
#include <utility>

#include <sched.h>

#include "rts/sched/workers.hpp"

namespace trawl::sched {

constinit thread_local Worker* this_worker = nullptr;

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
Worker* current_worker() noexcept {
  return this_worker;
}
#endif

namespace {

constexpr Nanos poll_interval = 20'000;  // between threads; inside long ones the doorman polls
constexpr int looks_between_turns = 32;
constexpr int most_polls_in_a_row = 8;
constexpr Nanos spin_time = 100'000;
constexpr Nanos yield_interval = 25'000;  // the doorman who has the answer may wait for this core
constexpr Nanos shortest_nap = 20'000;
constexpr Nanos longest_nap = 5'000'000;
constexpr Nanos longest_nap_beside_busy = 500'000;  // a sibling's new spark does not ring
constexpr std::size_t kept_threads = 64;

}  // namespace

// ---- Thread ------------------------------------------------------------------------------------

Thread::Thread(Workers& workers, std::size_t stack_size)
    : workers_(workers), fiber_(stack_size, &Thread::body, this) {}

void Thread::body(void* self) {
  auto& thread = *static_cast<Thread*>(self);
  while (true) {
    if (thread.spark_ != nullptr)
      thread.spark_->code().evaluate(thread.spark_);
    else
      thread.root_();
    thread.done_ = true;
    thread.fiber_.switch_to(*current_worker()->main_);
  }
}

void Thread::wake(heap::Node*, bool granted) {
  granted_ = granted;
  workers_.note_woken(*this);
  trace::note(workers_.host().log(), trace::Kind::thread_resume, 0);
  workers_.make_runnable(*this);
}

// ---- Worker ------------------------------------------------------------------------------------

Worker::Worker(Workers& workers, int index, const Options& options)
    : pool(options.spark_pool,
           [&events = workers.host().events()] { events.notify_progress_thread(); }),
      workers_(workers),
      host_(workers.host()),
      index_(index),
      pause_(workers.host().pause()),
      events_(workers.host().events()) {}

Worker::~Worker() = default;

void Worker::attach(std::unique_ptr<Fiber> main) {
  this_worker = this;
  main_ = std::move(main);
  born_ = host_.now();
}

void Worker::start_root(std::function<void()> root) {
  Thread& thread = free_thread();
  thread.root_ = std::move(root);
  thread.bound_to_ = this;
  workers_.thread_started();
  counters.add(Count::threads_created);
  trace::note(host_.log(), trace::Kind::thread_start, static_cast<unsigned>(index_));
  workers_.make_runnable(thread);
}

// An idle worker gets off the core by itself: on a host with more PEs than cores somebody else has
// use for it.
void Worker::loop(bool spins) {
  Nanos nap_time = shortest_nap;
  Nanos spin_until = 0;
  Nanos next_yield = 0;
  bool sleepy = !spins;
  born_ = host_.now();  // joining the others was no work
  events_.begin_polling();
  while (!host_.stopping()) {
    const auto rings_seen = sleepy ? events_.epoch() : 0;
    if (step()) {
      nap_time = shortest_nap;
      spin_until = 0;
      sleepy = !spins;
      continue;
    }
    if (!sleepy) {
      const auto now = about_now();
      if (spin_until == 0) {
        spin_until = now + spin_time;
        next_yield = now + yield_interval;
      }
      if (now >= next_yield) {
        sched_yield();
        next_yield = now + yield_interval;
      }
      sleepy = now >= spin_until;
      listen();
      continue;
    }
    nap(rings_seen, nap_time);
    nap_time =
        std::min(2 * nap_time, workers_.anybody_busy() ? longest_nap_beside_busy : longest_nap);
  }
  events_.end_polling();
  end_idle();
}

bool Worker::step() {
  let_others_run();
  poll_when_due();
  if (Thread* thread = workers_.threads().take(*this)) {
    end_idle();
    workers_.leave_imported();
    run(*thread);
    return true;
  }
  if (heap::Node* spark = find_spark()) {
    end_idle();
    workers_.leave_imported();
    start_thread(spark);
    return true;
  }
  begin_idle();
  return false;
}

void Worker::listen() noexcept {
  listened_ = true;
  for (int looks = 0; looks < looks_between_turns && !host_.waiting(); ++looks)
    if (workers_.threads().movable() != 0 || workers_.has_imported()) return;
}

void Worker::relieve() {
  events_.begin_polling();
  napping_ = false;
  while (!host_.stopping()) {
    Thread* const thread = workers_.threads().take(*this);
    if (thread == nullptr) break;
    end_idle();
    run(*thread);
  }
  begin_idle();
  napping_ = true;
  leave_messages_to_doorman();
}

// With work of its own at hand, not before each piece of it.
void Worker::poll_when_due() {
  if (!idle() && (workers_.threads().size() != 0 || pool.size() != 0)) {
    const auto now = host_.now();
    if (now < next_poll_) return;
    next_poll_ = now + poll_interval;
  }
  has_polled_ = host_.poll(this);
}

Nanos Worker::about_now() const noexcept {
  return has_polled_ ? host_.last_poll() : host_.now();
}

// Whoever sends a message from here on sees that nobody attends, and rings for the doorman; what
// has come since the last look did not.
void Worker::leave_messages_to_doorman() {
  events_.end_polling();
  for (int i = 0; i < most_polls_in_a_row && host_.waiting() && host_.poll(this);) ++i;
  wake_doorman_if_needed();
}

void Worker::wake_doorman_if_needed() {
  if (host_.waiting() || host_.under_way() || host_.due() < workers_.doorman_wakes())
    events_.notify_progress_thread();
}

// What has come from other PEs, where somebody may be waiting for it, then its own newest spark,
// then its siblings' oldest.
heap::Node* Worker::find_spark() {
  if (!workers_.may_start_thread())
    return workers_.all_blocked() ? workers_.take_imported() : nullptr;
  if (heap::Node* node = workers_.take_imported()) return node;
  if (heap::Node* node = pool.take_newest()) return node;
  return workers_.take_from_siblings(*this);
}

void Worker::start_thread(heap::Node* spark) {
  if (!spark->move(heap::State::unevaluated, heap::State::black_hole)) {
    counters.add(Count::sparks_fizzled);
    return;
  }
  Thread& thread = free_thread();
  thread.spark_ = spark;
  workers_.thread_started();
  counters.add(Count::sparks_converted);
  counters.add(Count::threads_created);
  trace::note(host_.log(), trace::Kind::spark_convert, static_cast<unsigned>(index_));
  trace::note(host_.log(), trace::Kind::thread_start, static_cast<unsigned>(index_));
  run(thread);
}

void Worker::run(Thread& thread) {
  running_ = &thread;
  busy_.store(true, std::memory_order_relaxed);
  trace::note(host_.log(), trace::Kind::thread_run, static_cast<unsigned>(index_));
  while (!thread.left_.load(std::memory_order_acquire)) sched_yield();
  thread.left_.store(false, std::memory_order_relaxed);
  thread.bound_to_ = nullptr;
  thread.seals_.lift(pool);
  leave_messages_to_doorman();
  main_->switch_to(thread.fiber_);
  busy_.store(false, std::memory_order_relaxed);
  running_ = nullptr;
  if (!thread.done_) {  // it has blocked: from here on others may run it
    thread.left_.store(true, std::memory_order_release);
    return;
  }
  events_.begin_polling();
  trace::note(host_.log(), trace::Kind::thread_end, static_cast<unsigned>(index_));
  put_away(thread);
}

// Stacks that a burst of blocked threads needed are given back.
void Worker::put_away(Thread& thread) {
  thread.done_ = false;
  thread.spark_ = nullptr;
  thread.root_ = nullptr;
  thread.seals_.drop();
  thread.fiber_.keep_nothing();
  thread.left_.store(true, std::memory_order_relaxed);
  workers_.thread_ended();
  if (free_threads_.size() < kept_threads)
    free_threads_.push_back(&thread);
  else
    workers_.delete_thread(thread);
}

Thread& Worker::free_thread() {
  if (free_threads_.empty()) return workers_.new_thread();
  Thread& thread = *free_threads_.back();
  free_threads_.pop_back();
  return thread;
}

// Attends before the FETCH is sent: its answer may be faster than this thread, and would wake the
// doorman.
bool Worker::register_blocked(Thread& thread, heap::Node* node) {
  struct Attention {
    progress::EventCount& events;
    bool kept = false;
    explicit Attention(progress::EventCount& its_bell) : events(its_bell) {
      events.begin_polling();
    }
    ~Attention() {
      if (!kept) events.end_polling();
    }
  } attention(events_);
  const std::lock_guard lock(host_.lock());
  workers_.make_room_for_blocked();
  if (!host_.shared_heap().wait(node, thread)) return false;
  thread.waiting_for_ = node;
  workers_.note_blocked(thread);
  return attention.kept = true;
}

const heap::Code* Worker::running_code() const noexcept {
  return running_ != nullptr && running_->spark_ != nullptr ? &running_->spark_->code() : nullptr;
}

bool Worker::block_on(heap::Node* node, bool& granted) {
  Thread& thread = *running_;
  thread.bound_to_ = thread.seals_.put(pool) ? nullptr : this;
  if (!register_blocked(thread, node)) {
    thread.seals_.lift(pool);
    wake_doorman_if_needed();
    return false;
  }
  counters.add(Count::threads_blocked);
  trace::note(host_.log(), trace::Kind::thread_block, static_cast<unsigned>(index_));
  thread.fiber_.switch_to(*main_);
  granted = std::exchange(thread.granted_, false);
  return true;
}

void Worker::wake_up() noexcept {
  events_.notify_worker(index_);
}

void Worker::begin_idle() {
  if (idle()) return;
  idle_since_.store(about_now(), std::memory_order_relaxed);
  idle_.store(true);
  trace::note(host_.log(), trace::Kind::idle_begin, static_cast<unsigned>(index_));
}

void Worker::end_idle() {
  if (!idle()) return;
  idle_.store(false);  // before leave_imported looks; who adds a spark does so before looking here
  const auto idle_for = about_now() - idle_since_.load(std::memory_order_relaxed);
  idle_sum_.store(idle_sum_.load(std::memory_order_relaxed) + idle_for, std::memory_order_relaxed);
  trace::note(host_.log(), trace::Kind::idle_end, static_cast<unsigned>(index_));
}

Nanos Worker::idle_time() const noexcept {
  const auto sum = idle_sum_.load(std::memory_order_relaxed);
  return idle() ? sum + host_.now() - idle_since_.load(std::memory_order_relaxed) : sum;
}

Nanos Worker::life_time() const noexcept {
  return born_ < 0 ? 0 : host_.now() - born_;
}

// Who makes a thread runnable counts it and then looks for an idle worker to ring for; this one
// says that it is idle and then looks for threads: one of them sees the other.
void Worker::nap(std::uint32_t rings_seen, Nanos longest) {
  if (workers_.threads().movable() != 0) return;
  napping_ = true;
  events_.end_polling();
  auto time = std::min(longest, host_.longest_sleep());
  if (!events_.polled()) time = host_.sleep_until_due(host_.now(), time);
  events_.park_worker(index_, rings_seen, time);
  events_.begin_polling();
  napping_ = false;
}

}  // namespace trawl::sched
