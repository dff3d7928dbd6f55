#include "rts/sched/bounds.hpp"

#include "rts/sched/telling.hpp"
#include "rts/sched/worker.hpp"

namespace trawl::sched {
namespace {

// Of a simulated PE: what has come by now has been heard of.
Host& host_now() {
  worker_here().let_others_run(Moment::in_thread);
  return worker_here().host();
}

}  // namespace

SharedName Bounds::make() {
  const std::lock_guard lock(lock_);
  return {static_cast<std::uint32_t>(self_), ++made_};
}

std::uint64_t Bounds::least(const SharedName& bound) const {
  const std::lock_guard lock(lock_);
  const auto found = least_.find(bound.key());
  return found == least_.end() ? nothing_found : found->second.number;
}

bool Bounds::note(const Found& message) {
  const std::lock_guard lock(lock_);
  auto& least = least_[message.bound.key()];
  const Least found{message.number, message.finder};
  if (!(found < least)) return false;
  least = found;
  return true;
}

bool Bounds::found(const SharedName& bound, std::uint64_t number) {
  if (number >= least(bound)) return false;
  const Found message{bound, static_cast<std::uint32_t>(self_), number};
  if (!note(message)) return false;
  tell_others(message);
  return true;
}

void Bounds::on_found(const Found& message) {
  if (note(message)) tell_others(message);
}

void Bounds::tell_others(const Found& message) {
  sched::tell_others(self_, static_cast<int>(message.finder), pes_, some_may_come_, is_gone_,
                     [&](int pe) { fabric::send(outbox_, pe, message); });
}

void Bounds::tell(int pe) {
  const auto known = [this] {
    const std::lock_guard lock(lock_);
    return least_;
  }();
  for (const auto& [key, least] : known) {
    const SharedName bound{static_cast<std::uint32_t>(key >> 32U), static_cast<std::uint32_t>(key)};
    fabric::send(outbox_, pe, Found{bound, static_cast<std::uint32_t>(self_), least.number});
  }
}

SharedName new_bound() {
  return host_now().bounds().make();
}

std::uint64_t least_of(const SharedName& bound) {
  return host_now().bounds().least(bound);
}

bool found(const SharedName& bound, std::uint64_t number) {
  auto& host = host_now();
  if (number >= host.bounds().least(bound)) return false;
  const std::lock_guard lock(host.lock());
  return host.bounds().found(bound, number);
}

}  // namespace trawl::sched
