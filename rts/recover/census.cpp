#include "rts/recover/census.hpp"

#include <algorithm>
#include <tuple>

namespace trawl::recover {

// ---- messages that carry weights ---------------------------------------------------------------

Census::Reading::Reading(Census& census, int from, std::uint32_t view)
    : census_(census),
      addresses_(census.shared_heap_.addresses()),
      from_(from),
      late_(census.stage_ == Stage::before && view < census.view_),
      outer_(addresses_.note_arrivals(late_ ? &arrivals_ : nullptr)) {}

void Census::read(int from, const std::vector<heap::Reference>* late) {
  ++with_[from].received;
  if (late == nullptr) return;
  for (const auto& reference : *late) hold(reference);
  ++before_.messages;
  look();
}

std::int64_t Census::balance(const std::function<bool(int)>& counts) const {
  std::int64_t sum = 0;
  for (const auto& [pe, messages] : with_)
    if (counts(pe)) sum += static_cast<std::int64_t>(messages.sent - messages.received);
  return sum;
}

void Census::hold(const heap::Reference& reference) {
  if (reference.at.pe == static_cast<std::uint32_t>(self_))
    found(reference.at.slot, reference.weight);
  else
    holdings_.push_back(reference);
}

void Census::found(std::uint64_t slot, heap::Weight weight) {
  const auto at = std::lower_bound(
      missing_.begin(), missing_.end(), slot,
      [](const Missing& each, std::uint64_t wanted) { return each.slot < wanted; });
  if (at == missing_.end() || at->slot != slot || at->weight < weight)
    throw BadBytes("more weight is held than is out");
  at->weight -= weight;
}

// ---- a census ----------------------------------------------------------------------------------

void Census::begin(std::uint32_t view, const std::function<bool(int)>& is_gone) {
  std::vector<int> members;
  for (int pe = 0; pe < pes_; ++pe)
    if (!is_gone(pe)) members.push_back(pe);
  stage_ = Stage::before;
  view_ = view;
  before_ = {};
  held_ = {};
  have_told_.clear();
  missing_.clear();
  shared_heap_.addresses().for_each_out([this](std::uint64_t slot, heap::Weight weight) {
    missing_.push_back({slot, weight});
  });
  std::sort(missing_.begin(), missing_.end(),
            [](const Missing& a, const Missing& b) { return a.slot < b.slot; });
  holdings_.clear();
  shared_heap_.for_each_held([&](const heap::Reference& reference) {
    if (!is_gone(static_cast<int>(reference.at.pe))) hold(reference);
  });

  Sent message{view, Round::before, {}};
  for (const int pe : members) {
    const auto counted = with_.find(pe);
    if (counted == with_.end()) continue;
    before_.messages += counted->second.received;
    if (const auto number = counted->second.sent; number != 0)
      message.messages.emplace_back(static_cast<std::uint32_t>(pe), number);
  }
  if (self_ == 0) tallies_.begin(view, members);
  fabric::send(outbox_, 0, message);
}

void Census::on_sent(const Sent& message, int from) {
  if (self_ != 0) throw BadBytes("only the main PE is told so");
  if (!tallies_.add(from, message)) return;
  for (int pe = 0; pe < pes_; ++pe)
    if (tallies_.is_member(pe))
      fabric::send(outbox_, pe, Due{message.view, message.round, tallies_.due(message.round, pe)});
}

void Census::on_due(const Due& message) {
  if (message.view != view_ || stage_ == Stage::none) return;
  (message.round == Round::before ? before_ : held_).due = message.messages;
  look();
}

void Census::on_held(const Held& message, int from) {
  if (message.view != view_ || stage_ == Stage::none) return;
  if (!have_told_.insert(from).second) throw BadBytes("it came twice");
  for (const auto& [slot, weight] : message.weights) found(slot, weight);
  ++held_.messages;
  look();
}

void Census::look() {
  if (stage_ == Stage::before && before_.all()) tell_holdings();
  if (stage_ == Stage::held && held_.all()) write_off();
}

void Census::tell_holdings() {
  stage_ = Stage::held;
  std::sort(holdings_.begin(), holdings_.end(),
            [](const heap::Reference& a, const heap::Reference& b) {
              return std::tie(a.at.pe, a.at.slot) < std::tie(b.at.pe, b.at.slot);
            });
  Sent message{view_, Round::held, {}};
  for (std::span<const heap::Reference> left(holdings_); !left.empty();) {
    const auto pe = left.front().at.pe;
    const auto end =
        std::find_if(left.begin(), left.end(), [pe](const auto& each) { return each.at.pe != pe; });
    const auto count = static_cast<std::size_t>(end - left.begin());
    tell_home(left.first(count));
    message.messages.emplace_back(pe, 1);
    left = left.subspan(count);
  }
  Plain<heap::Reference>().swap(holdings_);
  fabric::send(outbox_, 0, message);
}

// By slot, in sum.
void Census::tell_home(std::span<const heap::Reference> holdings) {
  Held message{view_, {}};
  for (const auto& [at, weight] : holdings) {
    if (message.weights.empty() || message.weights.back().first != at.slot)
      message.weights.emplace_back(at.slot, 0);
    message.weights.back().second += weight;
  }
  fabric::send(outbox_, static_cast<int>(holdings.front().at.pe), message);
}

void Census::write_off() {
  stage_ = Stage::none;
  for (const auto& [slot, weight] : missing_)
    if (weight != 0) shared_heap_.write_off(slot, weight);
  Plain<Missing>().swap(missing_);
  shared_heap_.addresses().note_all_counted();
}

}  // namespace trawl::recover
