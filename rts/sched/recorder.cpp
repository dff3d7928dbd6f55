#include "rts/sched/recorder.hpp"

#include <algorithm>
#include <array>
#include <limits>

#include "rts/heap/code.hpp"
#include "rts/host/clocks.hpp"
#include "rts/inline/demand.hpp"
#include "rts/inline/thunk.hpp"

namespace trawl::sched {
namespace {

/// Counts bytes: what else is in a packet lies elsewhere. Says what is referred to, if asked.
class Counting final : public heap::PacketOut {
 public:
  explicit Counting(std::vector<heap::Node*>* referred) : referred_(referred) {}

  std::uint32_t place_of(heap::Node* node, std::size_t) override {
    if (referred_ != nullptr && referred_->size() < most_looked_at) referred_->push_back(node);
    return 0;
  }
  heap::Loan lend(std::span<const std::byte>) override { return {}; }
  void lay(std::span<const std::byte> array) override { laid += array.size(); }

  std::uint64_t laid = 0;

 private:
  static constexpr std::size_t most_looked_at = 64;
  std::vector<heap::Node*>* referred_;
};

/// Calls that hardly compute, made as a program makes them.
struct Calls {
  static constexpr int depth = 16;
  static constexpr int spawned = 1596;

  long operator()(int n) const {
    if (n < 2) return n;
    auto& pool = owner_end_here();
    Slot* const slot = pool.push(heap::thunk_code<Calls, long, int>, n - 1);
    const long rest = (*this)(n - 2);
    heap::Node* const node = sched::reclaim(pool, slot);
    demand(node);
    return heap::ResultOf<long>::get(node) + rest;
  }
};

constexpr Nanos long_time = 20'000;

}  // namespace

// ---- Stopwatch ---------------------------------------------------------------------------------

Stopwatch::Stopwatch() {
  constexpr int tries = 1000;
  Nanos least = std::numeric_limits<Nanos>::max();
  for (int i = 0; i < tries; ++i) {
    start();
    least = std::min(least, stop());
  }
  cost_ = least;
}

// Both at the same moment: again, if others had the processor in between.
void Stopwatch::ask() noexcept {
  for (int tries = 0; tries < 10; ++tries) {
    asked_ = clock_.now();
    processor_ = processor_time();
    if (clock_.now() - asked_ < long_time) return;
  }
}

void Stopwatch::start() noexcept {
  started_ = clock_.now();
  if (started_ - stopped_ < long_time) return;
  ask();
  started_ = asked_;
}

Nanos Stopwatch::stop() noexcept {
  stopped_ = clock_.now();
  if (stopped_ - started_ < long_time) return stopped_ - started_ - cost_;
  const auto asked = asked_;
  const auto processor = processor_;
  ask();
  stopped_ = asked_;
  const auto lost = (asked_ - asked) - (processor_ - processor);
  const auto time = stopped_ - started_;
  return time - std::clamp(lost, Nanos{0}, time) - cost_;
}

// ---- Recorder ----------------------------------------------------------------------------------

/// While it lives, the program's time stands still.
class Recorder::Pause {
 public:
  /// `noted`: the program has done nothing since its time was noted last.
  explicit Pause(Recorder& recorder, bool noted = false) : recorder_(recorder) {
    if (!noted) recorder_.note_time();
  }
  ~Pause() { recorder_.watch_.start(); }
  Pause(const Pause&) = delete;
  Pause& operator=(const Pause&) = delete;

 private:
  Recorder& recorder_;
};

Recorder::Recorder(const std::string& file, std::string_view program)
    : record_(file, program),
      sites_([this](std::uint32_t, trace::StackPlaces stack) { record_.site(stack); }) {}

void Recorder::begin() {
  running_ = true;
  constexpr int tries = 9;
  std::array<Nanos, tries> times{};
  for (auto& time : times) time = measure_handling();
  std::nth_element(times.begin(), times.begin() + tries / 2, times.end());
  handling_ = times[tries / 2];
  const auto& codes = heap::CodeTable::get();
  for (std::uint32_t id = 0; id < codes.size(); ++id) record_.name(heap::short_name(codes.at(id)));
  watch_.start();
}

// Nothing of this is left in the recording.
Nanos Recorder::measure_handling() {
  record_.eval(0);
  seen_ = 0;
  watch_.start();
  Calls{}(Calls::depth);
  note_time();
  record_.work(-seen_);
  record_.end(0);
  return seen_ / Calls::spawned;
}

void Recorder::note_time() noexcept {
  const auto time = watch_.stop();
  seen_ += time;
  record_.work(time);
}

void Recorder::end() noexcept {
  if (!running_) return;
  note_time();
  running_ = false;
  record_.close();
}

void Recorder::abandon() noexcept {
  if (!running_) return;
  note_time();
  running_ = false;
  record_.cut_short();
}

namespace {

struct RecordedSlot : Slot {
  RecordedSlot(const Slot& slot, std::uint64_t number) : Slot(slot), task(number) {}
  std::uint64_t task;
};

}  // namespace

Slot* Recorder::spawn(const Slot& call, const void* caller) {
  const Pause pause(*this);
  return new RecordedSlot(call, record_.spawn(sites_.see(call.call_code(), caller)));
}

// What is synced is forced next; what is withdrawn never is, and the program goes on.
heap::Node* Recorder::reclaim(Slot* slot) {
  note_time();
  auto* const recorded = static_cast<RecordedSlot*>(slot);
  synced_ = recorded->promote();
  synced_task_ = recorded->task;
  delete recorded;
  watch_.go_on();
  return synced_;
}

void Recorder::par(heap::Node* node, const void* caller) {
  const Pause pause(*this);
  if (!sparks_.contains(node))
    sparks_[node] = {record_.par(sites_.see(heap::logged_code(node), caller)), false};
}

void Recorder::place(heap::Node* node, const void* caller) {
  const Pause pause(*this);
  if (!sparks_.contains(node))
    sparks_[node] = {record_.place(sites_.see(heap::logged_code(node), caller)), true};
}

std::uint64_t Recorder::packed_size(heap::Node* node, Pack pack,
                                    std::vector<heap::Node*>* referred) {
  packed_.shrink(0);
  Counting counting(referred);
  heap::Packer packer(packed_, counting);
  packer.no_limit(heap::Arrays::laid);
  pack(node, packer);
  return std::min(packed_.size() + counting.laid, trace::recording::most_bytes);
}

std::uint64_t Recorder::result_size(heap::Node* node) {
  if (node->state() != heap::State::value) return 0;
  const auto& code = node->code();
  return code.plain_result != 0 ? code.plain_result : packed_size(node, code.pack_value);
}

// What a skeleton's thunk gives refers to its elements, and to what travels along.
Recorder::Sizes Recorder::placed_result(heap::Node* node) {
  if (node->state() != heap::State::value) return {};
  const auto& code = node->code();
  if (code.plain_result != 0) return {code.plain_result, 0};
  referred_.clear();
  Sizes sizes{packed_size(node, code.pack_value, &referred_), 0};
  for (auto* const part : referred_)
    if (part->state() == heap::State::value)
      (part->code().kept ? sizes.kept : sizes.result) += result_size(part);
  sizes.result = std::min(sizes.result, trace::recording::most_bytes);
  sizes.kept = std::min(sizes.kept, trace::recording::most_bytes);
  return sizes;
}

/// 0: it is none, or small, or one too many.
std::uint32_t Recorder::shared_value(heap::Node* node) {
  using namespace trace::recording;
  if (const auto found = shared_.find(node); found != shared_.end()) return found->second;
  constexpr std::uint64_t most_kept = std::uint64_t{1} << 28U;
  if (shared_.size() == most_shared || shared_bytes_ > most_kept) return 0;
  if (node->state() != heap::State::value ||
      results_.contains(reinterpret_cast<std::uintptr_t>(node)))
    return 0;
  const auto bytes = result_size(node);
  if (bytes < least_shared) return 0;
  shared_bytes_ += bytes;
  return shared_[node] = record_.share(bytes);
}

void Recorder::refer_to_shared() {
  std::array<std::uint32_t, trace::recording::most_referred> told;
  std::size_t count = 0;
  for (auto* const node : referred_) {
    const auto shared = shared_value(node);
    if (shared == 0 ||
        std::find(told.begin(), told.begin() + count, shared) != told.begin() + count)
      continue;
    if (count == told.size()) break;
    record_.refer(told[count++] = shared);
  }
}

void Recorder::use_placed() {
  std::array<std::uint64_t, trace::recording::most_used> used;
  std::size_t count = 0;
  for (auto* const node : referred_) {
    const auto found = placed_.find(reinterpret_cast<std::uintptr_t>(node));
    if (found == placed_.end() || node->state() != heap::State::value ||
        node->code().id != found->second.code)
      continue;
    if (std::find(used.begin(), used.begin() + count, found->second.task) != used.begin() + count)
      continue;
    if (count == used.size()) return;
    used[count++] = found->second.task;
  }
  for (std::size_t i = 0; i < count; ++i) record_.use(used[i]);
}

bool Recorder::evaluate(heap::Node* node) {
  bool sparked = false;
  Spark spark;
  {
    const Pause pause(*this, node == synced_);
    const auto& code = node->code();
    referred_.clear();
    const auto arguments = packed_size(node, code.pack_arguments, &referred_);
    const auto function = std::uint64_t{code.id} + 1;
    if (node == synced_) {
      synced_ = nullptr;
      record_.sync(synced_task_, arguments, function);
    } else if (const auto found = sparks_.find(node); found != sparks_.end()) {
      sparked = true;
      spark = found->second;
      record_.force(spark.task, arguments, function);
      sparks_.erase(found);
    } else {
      record_.eval(arguments, function);
    }
    refer_to_shared();
    if (spark.placed) use_placed();
  }
  node->code().evaluate(node);
  const Pause pause(*this);
  record_.work(-handling_);
  const auto sizes = spark.placed ? placed_result(node) : Sizes{result_size(node), 0};
  const auto address = reinterpret_cast<std::uintptr_t>(node);
  if (sizes.result >= trace::recording::least_shared) results_.insert(address);
  if (spark.placed)
    placed_.insert_or_assign(address, Placed{spark.task, node->code().id});
  else if (!placed_.empty())
    placed_.erase(address);
  record_.end(sizes.result, sizes.kept);
  return sparked;
}

}  // namespace trawl::sched
