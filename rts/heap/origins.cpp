#include "rts/heap/origins.hpp"

#include <algorithm>
#include <new>
#include <utility>

#include "rts/inline/code.hpp"

namespace trawl::heap {
namespace {

Node* guard_of(const Lineage& lineage) {
  const Lineage* first = &lineage;
  while (first->before != nullptr) first = first->before;
  return first->guard;
}

bool begins_at_step(const Lineage& lineage) {
  const Node* guard = guard_of(lineage);
  return guard != nullptr && guard->code().step;
}

// Of what is large, and made anew again and again, only distributed data are let go of when there
// are copies: what others came from would keep all that came before.
bool may_keep(const Node* node, const Lineage& lineage) {
  return !node->code().kept || begins_at_step(lineage);
}

}  // namespace

bool Origins::is_guarded(const Found& found) const {
  return found.guard != nullptr && addresses_.guards(found.node->code());
}

bool Origins::comes_from(const Found& found) const {
  if (!found.filled) return false;
  if (is_guarded(found)) return true;
  const Witness* witness = addresses_.witness(found.node);
  return witness != nullptr && witness->lineage != nullptr;
}

void Origins::add(const Found& value) {
  if (!comes_from(value)) return;
  const bool guarded = is_guarded(value);
  const Witness* witness = guarded ? nullptr : addresses_.witness(value.node);
  auto* lineage = new (allocate(sizeof(Lineage))) Lineage();
  if (guarded) {
    lineage->guard = value.guard;
    lineage->depth = depth_below(value.guard) + 1;
  } else {
    lineage->before = witness->lineage;
    lineage->at_before = witness->place;
    lineage->depth = witness->lineage->depth;
  }
  lineage->top = value.place;
  lineage->found = ways.found();
  lineages_[value.place] = lineage;
}

std::uint32_t Origins::depth_below(Node* guard) {
  std::uint32_t depth = 0;
  if (const auto& needed = needed_by(guard))
    for (Node* node : *needed) depth = std::max(depth, addresses_.depth_of(node));
  return depth;
}

const Origins::Needed& Origins::needed_by(Node* guard) {
  constexpr std::size_t most = 1024;
  if (std::exchange(guard_, guard) != guard) needed_ = heap::needed_by(guard, most);
  return needed_;
}

// What was known before may be among the arguments of what the value was made from: to make that
// again may need it. So it is only one more way to make it.
void Origins::note(const Found& proxy) {
  Lineage* lineage = of(proxy);
  if (lineage != nullptr && !may_keep(proxy.node, *lineage)) lineage = nullptr;
  if (!proxy.filled) {
    if (lineage == nullptr) return;
    const auto state = proxy.node->state();
    if (state == State::unevaluated || state == State::black_hole)
      return note_known_thunk(proxy, *lineage);
    if (state != State::fetch_me && state != State::fetching) return;
  }
  auto& witness = addresses_.make_witness(proxy.node);
  if (proxy.filled) {
    witness.lineage = lineage;
    witness.place = proxy.place;
    witness.giver = from_;
    addresses_.let_hold_witness(proxy.node);
  } else {
    note_other(witness, lineage, proxy, proxy.place);
  }
  if (Lineage* other = by_other_value(proxy)) note_other(witness, other, proxy, 1);
}

// What is made from the node itself is no way to make it, and would keep it for ever.
void Origins::note_other(Witness& witness, Lineage* lineage, const Found& proxy,
                         std::uint32_t place) {
  const auto most = addresses_.lacks_any() ? Witness::most_after_a_death : Witness::most_others;
  if (witness.count_others >= most) return;
  if (needs(*lineage, proxy.node))
    ++witness.count_others;
  else
    witness.note_other(lineage, place, most);
}

bool Origins::needs(const Lineage& lineage, Node* node) {
  Node* const guard = guard_of(lineage);
  if (guard == nullptr) return false;
  const auto& needed = needed_by(guard);
  return !needed || needed->contains(node);
}

// Both values have come with this packet.
Lineage* Origins::by_other_value(const Found& proxy) const {
  const auto found = ways.found_again(proxy.place);
  Lineage* const lineage = of(proxy);
  if (lineage == nullptr || found == Lineage::nowhere) return nullptr;
  const auto in = static_cast<std::uint32_t>(found >> 32U);
  Lineage* const other = lineages_[in];
  if (other == nullptr || other == lineage || !may_keep(proxy.node, *other)) return nullptr;
  Lineage from;
  from.before = other;
  from.at_before = in;
  return by_handle(from, static_cast<std::uint32_t>(found));
}

// It has come by itself, as to its place, and who sent it did so for good. Now it is among what can
// be made again, should its evaluation need what is lost.
void Origins::note_known_thunk(const Found& thunk, const Lineage& lineage) {
  const auto was = addresses_.came_as(thunk.node);
  if (!was) return;
  const Witness* known = addresses_.witness(thunk.node);
  if (known != nullptr && known->lineage != nullptr) return;
  if (!needs(lineage, thunk.node)) note_thunk(thunk, *was);
}

void Origins::note_thunk(const Found& thunk, const Address& was) {
  Lineage* lineage = of(thunk);
  if (lineage == nullptr) return;
  addresses_.adopt(thunk.node, {was, 0});
  auto& witness = addresses_.make_witness(thunk.node);
  witness.lineage = lineage;
  witness.place = thunk.place;
  witness.here = true;
}

}  // namespace trawl::heap
