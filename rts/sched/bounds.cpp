#include "rts/sched/bounds.hpp"

#include "rts/sched/worker.hpp"

namespace trawl::sched {
namespace {

constexpr std::int64_t told_by_each = 8;

std::uint64_t key_of(const BoundName& bound) noexcept {
  return std::uint64_t{bound.pe} << 32U | bound.number;
}

// Of a simulated PE: what has come by now has been heard of.
Host& host_now() {
  worker_here().let_others_run(Moment::in_thread);
  return worker_here().host();
}

}  // namespace

BoundName Bounds::make() {
  const std::lock_guard lock(lock_);
  return {static_cast<std::uint32_t>(self_), ++made_};
}

std::uint64_t Bounds::least(const BoundName& bound) const {
  const std::lock_guard lock(lock_);
  const auto found = least_.find(key_of(bound));
  return found == least_.end() ? nothing_found : found->second;
}

bool Bounds::note(const Found& message) {
  const std::lock_guard lock(lock_);
  auto& least = least_.try_emplace(key_of(message.bound), nothing_found).first->second;
  if (message.number >= least) return false;
  least = message.number;
  return true;
}

bool Bounds::found(const BoundName& bound, std::uint64_t number) {
  const Found message{bound, static_cast<std::uint32_t>(self_), number};
  if (!note(message)) return false;
  tell_others(message);
  return true;
}

void Bounds::on_found(const Found& message) {
  if (note(message)) tell_others(message);
}

// PEs are numbered from who has found it on, round about.
void Bounds::tell_others(const Found& message) {
  const auto finder = static_cast<std::int64_t>(message.finder);
  const auto place = (self_ - finder + pes_) % pes_;
  const auto first = place * told_by_each + 1;
  for (auto next = first; next < first + told_by_each && next < pes_; ++next)
    fabric::send(outbox_, static_cast<int>((next + finder) % pes_), message);
}

BoundName new_bound() {
  return host_now().bounds().make();
}

std::uint64_t least_of(const BoundName& bound) {
  return host_now().bounds().least(bound);
}

bool found(const BoundName& bound, std::uint64_t number) {
  auto& host = host_now();
  if (number >= host.bounds().least(bound)) return false;
  const std::lock_guard lock(host.lock());
  return host.bounds().found(bound, number);
}

}  // namespace trawl::sched
