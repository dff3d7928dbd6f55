#include "rts/sched/worker.hpp"

#include <algorithm>
#include <utility>

#include <sched.h>

#include "rts/sched/crew.hpp"

namespace trawl::sched {

constinit thread_local Worker* this_worker = nullptr;

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

Thread::Thread(Worker& worker, std::size_t stack_size)
    : worker_(worker), fiber_(stack_size, &Thread::body, this) {}

void Thread::body(void* self) {
  auto& thread = *static_cast<Thread*>(self);
  while (true) {
    if (thread.spark_ != nullptr)
      thread.spark_->code().evaluate(thread.spark_);
    else
      thread.root_();
    thread.done_ = true;
    thread.fiber_.switch_to(*thread.worker_.main_);
  }
}

void Thread::wake(heap::Node*, bool granted) {
  granted_ = granted;
  worker_.crew_.note_woken(*this);
  trace::note(worker_.host_.log(), trace::Kind::thread_resume,
              static_cast<unsigned>(worker_.index_));
  worker_.make_runnable(*this);
}

// ---- Worker ------------------------------------------------------------------------------------

Worker::Worker(Crew& crew, int index, const Options& options)
    : pool(options.spark_pool, [&bell = crew.host().bell()] { bell.ring_doorman(); }),
      crew_(crew),
      host_(crew.host()),
      index_(index),
      stack_size_(options.stack_size),
      pause_(crew.host().pause()),
      bell_(crew.host().bell()) {}

Worker::~Worker() = default;

void Worker::attach(std::unique_ptr<Fiber> main) {
  this_worker = this;
  main_ = std::move(main);
  born_ = host_.now();
}

void Worker::start_root(std::function<void()> root) {
  Thread& thread = free_thread();
  thread.root_ = std::move(root);
  crew_.thread_started();
  counters.add(Count::threads_created);
  trace::note(host_.log(), trace::Kind::thread_start, static_cast<unsigned>(index_));
  make_runnable(thread);
}

// An idle worker gets off the core by itself: on a host with more PEs than cores somebody else has
// use for it.
void Worker::loop(bool spins) {
  Nanos nap_time = shortest_nap;
  Nanos spin_until = 0;
  Nanos next_yield = 0;
  bool sleepy = !spins;
  bell_.attend();
  while (!host_.stopping()) {
    const auto rings_seen = sleepy ? bell_.rings() : 0;
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
    nap_time = std::min(2 * nap_time, crew_.anybody_busy() ? longest_nap_beside_busy : longest_nap);
  }
  bell_.stop_attending();
  end_idle();
}

bool Worker::step() {
  let_others_run();
  poll_when_due();
  if (Thread* thread = next_runnable()) {
    end_idle();
    crew_.leave_imported();
    run(*thread);
    return true;
  }
  if (heap::Node* spark = find_spark()) {
    end_idle();
    crew_.leave_imported();
    start_thread(spark);
    return true;
  }
  begin_idle();
  return false;
}

void Worker::listen() noexcept {
  listened_ = true;
  for (int looks = 0; looks < looks_between_turns && !host_.waiting(); ++looks)
    if (inbox_.load(std::memory_order_relaxed) != nullptr || crew_.has_imported()) return;
}

// With work of its own at hand, not before each piece of it.
void Worker::poll_when_due() {
  if (!idle() && (runnable() != 0 || pool.size() != 0)) {
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
  bell_.stop_attending();
  for (int i = 0; i < most_polls_in_a_row && host_.waiting() && host_.poll(this);) ++i;
  wake_doorman_if_needed();
}

void Worker::wake_doorman_if_needed() {
  if (host_.waiting() || host_.under_way() || host_.due() < crew_.doorman_wakes())
    bell_.ring_doorman();
}

Thread* Worker::next_runnable() {
  if (inbox_.load(std::memory_order_relaxed) != nullptr) {
    Thread* oldest = nullptr;
    for (Thread* newest = inbox_.exchange(nullptr, std::memory_order_acquire); newest != nullptr;)
      oldest = std::exchange(newest, std::exchange(newest->next_, oldest));
    for (; oldest != nullptr; oldest = oldest->next_) queue_.push_back(oldest);
  }
  if (queue_.empty()) return nullptr;
  Thread* thread = queue_.front();
  queue_.pop_front();
  runnable_.fetch_sub(1, std::memory_order_relaxed);
  return thread;
}

// Its own newest spark, then what has come from other PEs, then its siblings' oldest.
heap::Node* Worker::find_spark() {
  if (!crew_.may_start_thread()) return crew_.all_blocked() ? crew_.take_imported() : nullptr;
  if (heap::Node* node = pool.take_newest()) return node;
  if (heap::Node* node = crew_.take_imported()) return node;
  return crew_.take_from_siblings(*this);
}

void Worker::start_thread(heap::Node* spark) {
  if (!spark->move(heap::State::unevaluated, heap::State::black_hole)) {
    counters.add(Count::sparks_fizzled);
    return;
  }
  Thread& thread = free_thread();
  thread.spark_ = spark;
  crew_.thread_started();
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
  leave_messages_to_doorman();
  main_->switch_to(thread.fiber_);
  busy_.store(false, std::memory_order_relaxed);
  running_ = nullptr;
  if (!thread.done_) return;  // it has blocked
  bell_.attend();
  trace::note(host_.log(), trace::Kind::thread_end, static_cast<unsigned>(index_));
  thread.done_ = false;
  thread.spark_ = nullptr;
  thread.root_ = nullptr;
  thread.fiber_.keep_nothing();
  crew_.thread_ended();
  free_threads_.push_back(&thread);
}

Thread& Worker::free_thread() {
  if (free_threads_.empty()) {
    threads_.push_back(std::make_unique<Thread>(*this, stack_size_));
    return *threads_.back();
  }
  Thread& thread = *free_threads_.back();
  free_threads_.pop_back();
  // Stacks that a burst of blocked threads needed are given back.
  if (free_threads_.size() > kept_threads) {
    const Thread* surplus = free_threads_.back();
    free_threads_.pop_back();
    std::erase_if(threads_, [surplus](const auto& owned) { return owned.get() == surplus; });
  }
  return thread;
}

// Attends before the FETCH is sent: its answer may be faster than this thread, and would wake the
// doorman.
bool Worker::register_blocked(Thread& thread, heap::Node* node) {
  struct Attention {
    fabric::Bell& bell;
    bool kept = false;
    explicit Attention(fabric::Bell& its_bell) : bell(its_bell) { bell.attend(); }
    ~Attention() {
      if (!kept) bell.stop_attending();
    }
  } attention(bell_);
  const std::lock_guard lock(host_.lock());
  if (!host_.sharing().wait(node, thread)) return false;
  thread.waiting_for_ = node;
  crew_.note_blocked(thread);
  return attention.kept = true;
}

bool Worker::block_on(heap::Node* node, bool& granted) {
  Thread& thread = *running_;
  if (!register_blocked(thread, node)) {
    wake_doorman_if_needed();
    return false;
  }
  counters.add(Count::threads_blocked);
  trace::note(host_.log(), trace::Kind::thread_block, static_cast<unsigned>(index_));
  thread.fiber_.switch_to(*main_);
  granted = std::exchange(thread.granted_, false);
  return true;
}

void Worker::make_runnable(Thread& thread) {
  runnable_.fetch_add(1, std::memory_order_relaxed);
  if (this == this_worker) return queue_.push_back(&thread);
  thread.next_ = inbox_.load(std::memory_order_relaxed);
  while (!inbox_.compare_exchange_weak(thread.next_, &thread, std::memory_order_release,
                                       std::memory_order_relaxed)) {
  }
  wake_up();
}

void Worker::wake_up() noexcept {
  bell_.ring_worker(index_);
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

void Worker::nap(std::uint32_t rings_seen, Nanos longest) {
  napping_ = true;
  bell_.stop_attending();
  auto time = std::min(longest, host_.longest_sleep());
  if (!bell_.attended()) time = host_.sleep_until_due(host_.now(), time);
  bell_.sleep_as_worker(index_, rings_seen, time);
  bell_.attend();
  napping_ = false;
}

}  // namespace trawl::sched
