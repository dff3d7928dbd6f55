#include "rts/sched/worker.hpp"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include <pthread.h>
#include <sched.h>

#include "rts/base/vector_registers.hpp"
#include "rts/heap/code.hpp"
#include "rts/sched/recorder.hpp"
#include "rts/sched/workers.hpp"
#include "rts/trace/note.hpp"
#include "rts/trace/sites.hpp"

namespace trawl::sched {

constinit thread_local Worker* this_worker = nullptr;
constinit thread_local OwnerEnd* this_owner_end = nullptr;

void set_this_worker(Worker* worker) noexcept {
  this_worker = worker;
  this_owner_end = worker != nullptr ? &worker->pool : nullptr;
}

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
Worker* current_worker() noexcept {
  return this_worker;
}
OwnerEnd& owner_end_here() {
  return worker_here().pool;
}
#endif

namespace {

constexpr Nanos poll_interval = 20'000;  // between threads; inside, the progress thread polls
constexpr int looks_between_turns = 32;
constexpr int most_polls_in_a_row = 8;
// Finished ones: a worker takes them again without a lock. Simulated PEs, of which there are many
// in a process and one OS thread, need no more than their stacks (stacks.cpp).
constexpr std::size_t kept_threads = 64;
constexpr std::size_t kept_if_simulated = 1;

/// Who sees to shards evaluates some of them itself.
const heap::Code* step_of(heap::Node* spark) {
  const auto& code = spark->code();
  if (!code.step) return nullptr;
  return code.subject != nullptr ? &code.subject(spark)->code() : &code;
}

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

std::uint32_t FoundSpark::packed_place() const noexcept {
  if (from == nullptr) return 0;
  return trace::PoolPlace{static_cast<std::uint32_t>(from->index()), place}.packed();
}

// ---- Worker ------------------------------------------------------------------------------------

Worker::Worker(Workers& workers, int index, const Options& options, bool parked)
    : pool(options.spark_pool, [&events = workers.events()] { events.notify_progress_thread(); }),
      workers_(workers),
      host_(workers.host()),
      fabric_(workers.fabric()),
      events_(workers.events()),
      state_(workers.state()),
      log_(workers.log()),
      pause_(workers.pause()),
      recorder_(workers.recorder()),
      sought_in_vain_(heap::CodeTable::get().size()),
      special_(pause_ != nullptr || recorder_ != nullptr),
      index_(index),
      next_number_(static_cast<std::uint32_t>(index)),
      random_(static_cast<std::uint32_t>(index) + 1),
      parked_(parked) {
  if (log_ != nullptr) {
    sites_ = std::make_unique<trace::Sites>([this](std::uint32_t code, trace::StackPlaces stack) {
      log_->site(static_cast<unsigned>(index_), code, stack);
    });
    pool.tell([this](std::uint32_t code, bool call, const void* caller) {
      made_.see(code, call, just_made());
      sites_->see(code, caller);
    });
  }
  if (recorder_ != nullptr) pool.record(*recorder_);
  if (pause_ != nullptr) pool.always_ask([this] { let_others_run(Moment::in_thread); });
}

Worker::~Worker() = default;

void Worker::attach(std::unique_ptr<Fiber> main) {
  set_this_worker(this);
  main_ = std::move(main);
  clockid_t clock{};
  if (pthread_getcpuclockid(pthread_self(), &clock) == 0) processor_clock_ = clock;
}

void Worker::start_root(std::function<void()> root) {
  Thread& thread = free_thread();
  if (recorder_ != nullptr)
    thread.root_ = [this, root = std::move(root)] {
      recorder_->begin();
      root();
    };
  else
    thread.root_ = std::move(root);
  thread.bound_to_ = this;
  thread_started(thread);
  workers_.make_runnable(thread);
}

void Worker::loop(bool spins) {
  using Next = progress::WorkerPolicy::Next;
  progress::WorkerPolicy policy(spins);
  begin_life();  // joining the others was no work
  events_.begin_polling();
  while (!host_.stopping()) {
    const auto epoch = policy.will_park() ? events_.epoch() : 0;
    if (step()) {
      policy.found();
      continue;
    }
    const auto next = policy.next(about_now());
    if (next == Next::park) {
      park(epoch, policy);
      continue;
    }
    if (next == Next::yield) sched_yield();
    listen();
  }
  stop_attending();
  events_.end_polling();
  end_idle();
}

bool Worker::step() {
  let_others_run(Moment::between_turns);
  poll_when_due();
  if (Thread* thread = workers_.threads().take(*this)) {
    end_idle();
    workers_.leave_rest();
    run(*thread);
    return true;
  }
  if (const auto found = find_spark(); found.spark != nullptr) {
    end_idle();
    workers_.leave_rest();
    start_thread(found);
    return true;
  }
  begin_idle();
  return false;
}

void Worker::listen() noexcept {
  listened_ = attends_;
  for (int looks = 0; looks < looks_between_turns; ++looks) {
    if (attends_ && fabric_.waiting()) return;
    if (workers_.threads().movable() != 0 || workers_.has_imported()) return;
  }
}

void Worker::relieve() {
  events_.begin_polling();
  parked_ = false;
  while (!host_.stopping()) {
    Thread* const thread = workers_.threads().take(*this, ThreadPool::Whom::urgent);
    if (thread == nullptr) break;
    end_idle();
    run(*thread);
  }
  begin_idle();
  parked_ = true;
  leave_messages();
}

// With work of its own at hand, not before each piece of it; without, only as the attendant.
void Worker::poll_when_due() {
  if (!idle() && (workers_.threads().size() != 0 || pool.size() != 0)) {
    const auto now = fabric_.now();
    if (now < next_poll_) return;
    next_poll_ = now + poll_interval;
  } else if (!attend()) {
    has_polled_ = false;
    return;
  }
  has_polled_ = host_.poll(this);
}

bool Worker::attend() noexcept {
  bool attended = attends_ || state_.attended.load();
  if (!attended) attends_ = state_.attended.compare_exchange_strong(attended, true);
  return attends_;
}

// Before he looks for the last time: who saw him attend, and parks, has left messages to him.
void Worker::stop_attending() noexcept {
  if (std::exchange(attends_, false)) state_.attended = false;
}

Nanos Worker::about_now() const noexcept {
  return has_polled_ ? state_.last_poll.load(std::memory_order_relaxed) : fabric_.now();
}

// Whoever sends a message from here on sees that nobody polls, and notifies the progress thread;
// what has come since the last look did not.
void Worker::leave_messages() {
  stop_attending();
  events_.end_polling();
  for (int i = 0; i < most_polls_in_a_row && fabric_.waiting() && host_.poll(this);) ++i;
  notify_progress_thread_if_needed();
}

void Worker::notify_progress_thread_if_needed() {
  if (workers_.undone().needs_poll_before(state_.progress_thread_wakes))
    events_.notify_progress_thread();
}

// What has come from other PEs, where somebody may be waiting for it, then what a thief of its own
// has left, then its own newest spark, then its siblings' oldest.
FoundSpark Worker::find_spark() {
  if (!workers_.may_start_thread()) say_live();
  const bool may_start = workers_.may_start_thread() || workers_.guards_hold_all_up();
  heap::Node* const arrived = workers_.leaving()                    ? workers_.take_placed()
                              : may_start || workers_.all_blocked() ? workers_.take_imported()
                                                                    : nullptr;
  if (arrived != nullptr || !may_start) return {arrived};
  if (const auto found = take_from_thief(); found.spark != nullptr) return found;
  std::uint32_t place = 0;
  if (heap::Node* node = pool.take_newest(&place)) return {node, this, place};
  return workers_.take_from_siblings(*this);
}

// Marsaglia's xorshift.
std::size_t Worker::random(std::size_t below) noexcept {
  random_ ^= random_ << 13U;
  random_ ^= random_ >> 17U;
  random_ ^= random_ << 5U;
  return random_ % below;
}

// Leapfrogging (Wagner and Calder, 1993): what the thief has sparked is a part of what a thread
// here waits for, so it is sooner done.
FoundSpark Worker::take_from_thief() {
  if (thief_ == nullptr) return {};
  std::uint32_t place = 0;
  if (thief_->runs(stolen_))
    if (heap::Node* node = thief_->pool.take_oldest(false, &place)) return {node, thief_, place};
  thief_ = nullptr;
  return {};
}

void Worker::note_thief(const heap::Node* node) noexcept {
  stolen_ = heap::Hidden(node);
  const auto workers = workers_.all();
  const auto found = std::find_if(workers.begin(), workers.end(), [this](const auto& worker) {
    return worker.get() != this && worker->runs(stolen_);
  });
  thief_ = found == workers.end() ? nullptr : found->get();
}

// What has arrived may also have been placed here, or be waited for.
std::optional<heap::Address> Worker::owed_to(heap::Node* spark) {
  const std::lock_guard lock(host_.lock());
  return host_.shared_heap().owed_to(spark);
}

// Who packs something claims what it may take along, and leaves some of it after a look.
static bool begin(heap::Node* spark, Host& host) {
  const auto take = [spark] {
    return spark->move(heap::State::unevaluated, heap::State::black_hole);
  };
  if (take()) return true;
  if (spark->state() != heap::State::exported) return false;
  const std::lock_guard lock(host.lock());
  return take();
}

void Worker::start_thread(const FoundSpark& found) {
  heap::Node* const spark = found.spark;
  std::optional<heap::Address> came_as;
  if (log_ != nullptr && found.from == nullptr) came_as = owed_to(spark);
  if (!begin(spark, host_)) {
    counters.add(Count::sparks_fizzled);
    return;
  }
  if (simulated()) spark->mark(heap::Node::waited);  // see notify_waiters
  Thread& thread = free_thread();
  thread.spark_ = spark;
  thread.step_ = step_of(spark);
  trace::note<Count::sparks_converted>(
      counters, log_, static_cast<unsigned>(index_), heap::logged_code(spark), came_as ? 1 : 0,
      thread.number_,
      came_as ? trace::name_of_import(came_as->pe, came_as->slot) : found.packed_place());
  thread_started(thread);
  run(thread);
}

void Worker::note_site(heap::Node& spark, const void* caller) noexcept {
  if (sites_ == nullptr) return;
  const auto code = heap::logged_code(&spark);
  made_.see(code, false, just_made());
  sites_->see(code, caller);
}

void Worker::thread_started(Thread& thread) {
  count_live(1);
  trace::note<Count::threads_created>(counters, log_, static_cast<unsigned>(index_),
                                      thread.number_);
}

void Worker::count_live(int more) noexcept {
  unsaid_.store(unsaid() + more, std::memory_order_relaxed);
  if (std::abs(unsaid()) > workers_.unsaid()) say_live();
}

void Worker::say_live() noexcept {
  if (const int more = unsaid(); more != 0) {
    unsaid_.store(0, std::memory_order_relaxed);
    workers_.add_live(more);
  }
}

void Worker::run(Thread& thread) {
  running_ = &thread;
  runs_.store(thread.spark_ != nullptr ? static_cast<const void*>(thread.spark_) : this,
              std::memory_order_relaxed);
  step_.store(thread.step_, std::memory_order_relaxed);
  while (!thread.left_.load(std::memory_order_acquire)) sched_yield();
  thread.left_.store(false, std::memory_order_relaxed);
  thread.bound_to_ = nullptr;
  thread.seals_.lift(pool);
  trace::note(log_, trace::Kind::thread_run, static_cast<unsigned>(index_), thread.number_, 0, 0,
              pool.next_place());
  leave_messages();
  let_others_run(Moment::before_thread);
  made_before_ = sparks_made();
  made_.begin();
  pool.look(SparkPool::a_burst);
  main_->switch_to(thread.fiber_);
  if (thread.spark_ != nullptr && just_made() != 0) workers_.note_splits(thread.spark_->code());
  let_others_run(Moment::after_thread);
  step_.store(nullptr, std::memory_order_relaxed);
  runs_.store(nullptr, std::memory_order_relaxed);
  running_ = nullptr;
  if (!thread.done_) {  // it has blocked: from here on others may run it
    thread.left_.store(true, std::memory_order_release);
    return;
  }
  events_.begin_polling();
  trace::note(log_, trace::Kind::thread_end, static_cast<unsigned>(index_), thread.number_, 0, 0,
              just_made_at_most());
  note_made();
  put_away(thread);
}

void Worker::note_made() noexcept {
  made_.tell(just_made(), [this](const trace::Made::Share& share) {
    trace::note(log_, trace::Kind::spark_made, static_cast<unsigned>(index_), share.code,
                share.calls ? 1 : 0, static_cast<std::uint32_t>(share.sparks),
                static_cast<std::uint32_t>(share.sparks >> 32U));
  });
  if (log_ == nullptr) return;
  const auto ignored = pool.refused() - std::exchange(ignored_before_, pool.refused());
  if (ignored != 0)
    trace::note(log_, trace::Kind::sparks_ignored, static_cast<unsigned>(index_),
                static_cast<std::uint32_t>(std::min<std::uint64_t>(ignored, UINT32_MAX)));
}

// Stacks that a burst of blocked threads needed are given back.
void Worker::put_away(Thread& thread) {
  thread.done_ = false;
  thread.spark_ = nullptr;
  thread.step_ = nullptr;
  thread.root_ = nullptr;
  thread.seals_.drop();
  thread.meter_ = {};
  thread.fiber_.keep_nothing();
  if (!std::exchange(thread.has_blocked_, false)) workers_.note_never_blocked();
  thread.left_.store(true, std::memory_order_relaxed);
  count_live(-1);
  if (free_threads_.size() < (simulated() ? kept_if_simulated : kept_threads))
    free_threads_.push_back(&thread);
  else
    workers_.delete_thread(thread);
}

Thread& Worker::free_thread() {
  Thread* thread;
  if (free_threads_.empty()) {
    thread = &workers_.new_thread();
  } else {
    thread = free_threads_.back();
    free_threads_.pop_back();
  }
  thread->number_ = next_number_;
  next_number_ += trace::max_workers;
  return *thread;
}

void Worker::wake_up() noexcept {
  events_.notify_worker(index_);
}

void Worker::begin_idle() {
  if (idle()) return;
  say_live();
  idle_since_.store(about_now(), std::memory_order_relaxed);
  messages_before_idle_.store(messages_until_about_now(), std::memory_order_relaxed);
  idle_.store(true);
  trace::note(log_, trace::Kind::idle_begin, static_cast<unsigned>(index_));
}

void Worker::end_idle() {
  if (!idle()) return;
  idle_.store(false);  // before leave_rest looks; who adds a spark does so before looking here
  const auto idle_for = about_now() - idle_since_.load(std::memory_order_relaxed);
  idle_sum_.store(idle_sum_.load(std::memory_order_relaxed) + idle_for, std::memory_order_relaxed);
  messages_while_idle_.add(
      static_cast<std::uint64_t>(messages_until_about_now() - messages_before_idle_));
  trace::note(log_, trace::Kind::idle_end, static_cast<unsigned>(index_));
}

// Who makes a thread runnable counts it and then looks for an idle worker to notify; this one says
// that it is idle and then looks for threads: one of them sees the other.
void Worker::park(std::uint32_t epoch, progress::WorkerPolicy& policy) {
  if (workers_.threads().movable() != 0) return;
  parked_ = true;
  stop_attending();
  events_.end_polling();
  heap::clear_finished_calls<512>();
  clear_vector_registers();
  events_.park_worker(index_, epoch, policy.park_time(workers_.situation()));
  events_.begin_polling();
  parked_ = false;
}

}  // namespace trawl::sched
