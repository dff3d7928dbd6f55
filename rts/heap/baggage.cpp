#include "rts/heap/baggage.hpp"

#include <algorithm>
#include <array>
#include <span>

#include <boost/container/small_vector.hpp>

#include "rts/heap/pack.hpp"
#include "rts/inline/code.hpp"
#include "rts/inline/packer.hpp"

namespace trawl::heap {
namespace {

// Two messages more cost less than to move them from 64 KiB on, between PEs of one host too.
// Arguments that are lent take more.
constexpr std::size_t most_baggage = std::size_t{64} << 10U;

/// Remembers what is referred to; all else is only counted.
class Seen final : public PacketOut {
 public:
  std::uint32_t place_of(Node* node, std::size_t) override {
    const auto found = std::find(nodes.begin(), nodes.end(), node);
    if (found == nodes.end() && nodes.size() < most) nodes.push_back(node);
    return 0;
  }
  // Under a limit arrays are copied, and the limit is met before they are.
  Loan lend(std::span<const std::byte>) override { return {}; }
  void lay(std::span<const std::byte>) override {}

  static constexpr std::size_t most = 16;  // of a long list of small things no part is large
  // In memory that the collector need not see: the thunk refers to them.
  boost::container::small_vector<Node*, most, PlainAllocator<Node*>> nodes;
};

}  // namespace

bool has_baggage(Node* thunk, const GlobalAddressTable& addresses, std::uint32_t pe) {
  Writer bytes;
  Seen arguments;
  Seen beyond;
  try {
    Packer of_arguments(bytes, arguments);
    of_arguments.limit(most_baggage);
    thunk->code().pack_arguments(thunk, of_arguments);
    if (of_arguments.overflowed()) return true;
    Packer of_values(bytes, beyond);
    of_values.limit(most_baggage);
    for (Node* node : arguments.nodes) {
      if (node->state() != State::value || addresses.has_copy(node, pe)) continue;
      node->code().pack_value(node, of_values);
      if (of_values.overflowed()) return true;
      of_values.end_node();
    }
  } catch (const PacketFull&) {
    return true;
  }
  return false;
}

namespace {

/// Large values, by PE. Where there are many PEs the first few tell enough.
class Votes {
 public:
  void add(std::uint32_t pe) noexcept {
    for (std::size_t i = 0; i < used_; ++i)
      if (votes_[i].pe == pe) return void(++votes_[i].values);
    if (used_ != votes_.size()) votes_[used_++] = {pe, 1};
  }
  /// Who has most, if it is more than so many.
  std::optional<std::uint32_t> most(std::size_t more_than) const noexcept {
    std::optional<std::uint32_t> pe;
    for (std::size_t i = 0; i < used_; ++i) {
      if (votes_[i].values <= more_than) continue;
      more_than = votes_[i].values;
      pe = votes_[i].pe;
    }
    return pe;
  }
  bool any() const noexcept { return used_ != 0; }

 private:
  struct Vote {
    std::uint32_t pe;
    std::size_t values;
  };
  std::array<Vote, 4> votes_{};
  std::size_t used_ = 0;
};

/// What a node refers to; false: it is large itself.
bool look_into(Node* node, bool arguments, Seen& seen) {
  Writer bytes;
  Packer packer(bytes, seen);
  packer.limit(PackLimits::large);
  try {
    if (arguments)
      node->code().pack_arguments(node, packer);
    else
      node->code().pack_value(node, packer);
    return !packer.overflowed();
  } catch (const PacketFull&) {
    return false;
  }
}

}  // namespace

std::optional<std::uint32_t> place_of_data(
    Node* thunk, const GlobalAddressTable& addresses,
    const std::function<std::optional<std::uint32_t>(Node*)>& will_be) {
  Seen arguments;
  if (!look_into(thunk, true, arguments)) return std::nullopt;
  Votes votes;
  Seen beyond;
  std::size_t here = 0;
  for (Node* node : arguments.nodes) {
    if (const auto pe = addresses.large_at(node)) votes.add(*pe);
    if (const auto pe = will_be(node)) votes.add(*pe);
    if (node->state() == State::value && !look_into(node, false, beyond)) ++here;
  }
  for (Node* node : beyond.nodes)
    if (const auto pe = addresses.large_at(node)) votes.add(*pe);
  if (!votes.any()) return std::nullopt;
  Seen deeper;
  for (Node* node : beyond.nodes)
    if (node->state() == State::value && !look_into(node, false, deeper)) ++here;
  return votes.most(here);
}

}  // namespace trawl::heap
