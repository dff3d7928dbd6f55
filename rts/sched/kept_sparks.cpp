#include "rts/sched/kept_sparks.hpp"

#include <atomic>

namespace trawl::sched {
namespace {

constexpr std::size_t most = 16384;

bool is_to_begin(const heap::Node* node) {
  return node->state() == heap::State::unevaluated;
}

}  // namespace

KeptSparks::~KeptSparks() {
  if (!kept_.empty()) heap::remove_roots(*this);
}

// What it refers to lives as long as it is to be begun with.
bool KeptSparks::Kept::counts() const noexcept {
  return spark != nullptr && is_to_begin(spark) && is_to_begin(purpose);
}

// The collector may look between any two instructions: a spark that is not noted yet is the
// caller's, one that is about to be overwritten may go.
void KeptSparks::keep(heap::Node* spark, const heap::Node* purpose) {
  if (kept_.empty()) {
    kept_.resize(most);
    heap::add_roots(*this);
  }
  Kept& place = kept_[next_++ % most];
  const std::atomic_ref kept(place.spark);
  kept.store(nullptr, std::memory_order_relaxed);
  std::atomic_signal_fence(std::memory_order_seq_cst);
  place.purpose = purpose;
  std::atomic_signal_fence(std::memory_order_seq_cst);
  kept.store(spark, std::memory_order_relaxed);
}

void KeptSparks::roots(void (*scan)(std::span<const std::byte>)) const noexcept {
  for (const auto& each : kept_)
    if (each.counts()) scan(std::as_bytes(std::span(&each.spark, 1)));
}

void KeptSparks::forget_the_dead(bool (*lives)(const void*)) noexcept {
  for (auto& each : kept_)
    if (each.spark != nullptr && !lives(each.spark)) each.spark = nullptr;
}

}  // namespace trawl::sched
