#include "rts/heap/baggage.hpp"

#include <algorithm>
#include <span>

#include <boost/container/small_vector.hpp>

#include "rts/inline/code.hpp"
#include "rts/inline/packer.hpp"

namespace trawl::heap {
namespace {

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

bool has_baggage(Node* thunk, std::size_t more_than, const GlobalAddressTable& addresses,
                 std::uint32_t pe) {
  Writer bytes;
  Seen arguments;
  Seen beyond;
  try {
    Packer of_arguments(bytes, arguments);
    of_arguments.limit(more_than);
    thunk->code().pack_arguments(thunk, of_arguments);
    Packer of_values(bytes, beyond);
    of_values.limit(more_than);
    for (Node* node : arguments.nodes) {
      if (node->state() != State::value || addresses.has_copy(node, pe)) continue;
      node->code().pack_value(node, of_values);
      of_values.end_node();
    }
  } catch (const PacketFull&) {
    return true;
  }
  return false;
}

}  // namespace trawl::heap
