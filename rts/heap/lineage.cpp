#include "rts/heap/lineage.hpp"

#include <algorithm>
#include <exception>
#include <new>
#include <utility>

#include "rts/heap/choice.hpp"
#include "rts/heap/claim.hpp"
#include "rts/heap/failure.hpp"
#include "rts/inline/code.hpp"
#include "rts/inline/packer.hpp"

namespace trawl::heap {
namespace {

class Handles final : public PacketOut {
 public:
  std::uint32_t place_of(Node* node, std::size_t) override {
    nodes.push_back(node);
    return 0;
  }
  Loan lend(std::span<const std::byte>) override { return {}; }  // nobody asks for it
  void lay(std::span<const std::byte>) override {}

  std::vector<Node*> nodes;
};

// They are the nodes of this PE that they were.
class SameHandles final : public PacketIn {
 public:
  explicit SameHandles(const std::vector<Node*>& nodes) : nodes_(nodes) {}
  Node* node_at(std::uint32_t, const void*) override { return nodes_[next_++]; }
  void borrow(const Loan&, std::uint64_t) override {}
  void read(const Loan&, std::uint64_t, std::span<std::byte>) override {}

 private:
  const std::vector<Node*>& nodes_;
  std::size_t next_ = 0;
};

std::vector<Node*> nodes_in(void (*pack)(Node*, Packer&), Node* node) {
  Writer bytes;
  Handles handles;
  Packer packer(bytes, handles);
  packer.no_limit(Arrays::left);
  pack(node, packer);
  return std::move(handles.nodes);
}

void copy(void (*pack)(Node*, Packer&), Node* from, void (*unpack)(Node*, Unpacker&), Node* into,
          const Instead& instead) {
  Writer bytes;
  Handles handles;
  Packer packer(bytes, handles);
  pack(from, packer);
  if (instead) std::ranges::transform(handles.nodes, handles.nodes.begin(), instead);
  Reader reader(bytes.view());
  SameHandles same(handles.nodes);
  Unpacker unpacker(reader, same);
  unpack(into, unpacker);
}

// Somebody may be evaluating it, or have done so: then there are none any more. Claimed, it stays
// as it is for as long.
std::optional<std::vector<Node*>> arguments_of(Node* thunk) {
  const Claim claim(thunk);
  if (thunk->state() != State::exported) return std::nullopt;
  return nodes_in(thunk->code().pack_arguments, thunk);
}

}  // namespace

Route route_to(const Lineage& lineage, std::uint32_t place) {
  Route route{nullptr, {}};
  for (const Lineage* at = &lineage; at != nullptr; place = at->at_before, at = at->before) {
    for (; place != at->top; place = static_cast<std::uint32_t>(at->found[place] >> 32U))
      route.handles.push_back(static_cast<std::uint32_t>(at->found[place]));
    route.from = at->guard;
  }
  std::reverse(route.handles.begin(), route.handles.end());
  return route;
}

Lineage* by_handle(const Lineage& from, std::uint32_t handle) {
  auto* lineage = new (allocate(sizeof(Lineage))) Lineage(from);
  const StorageScope scope(Storage::owned_plain);
  lineage->top = 0;
  lineage->found = new std::uint64_t[2]{Lineage::nowhere, Lineage::as_found(0, handle)};
  return lineage;
}

void Witness::note_other(Lineage* what, std::uint32_t at, std::uint8_t most) {
  if (count_others >= most) return;
  ++count_others;
  OtherOrigin** end = &others;
  while (*end != nullptr) end = &(*end)->next;
  *end = new (allocate(sizeof(OtherOrigin))) OtherOrigin{what, at, nullptr};
}

bool Witness::take_other() noexcept {
  if (others == nullptr) return false;
  lineage = others->lineage;
  place = others->place;
  others = others->next;
  return true;
}

Node* handle_of(Node* node, std::uint32_t handle) {
  std::vector<Node*> nodes;
  if ((handle & Lineage::in_arguments) == 0) {
    nodes = references_of(node);
  } else {
    auto arguments = arguments_of(node);
    if (!arguments) return nullptr;
    nodes = std::move(*arguments);
    handle &= ~Lineage::in_arguments;
  }
  return handle < nodes.size() ? nodes[handle] : nullptr;
}

Node* first_argument_of(Node* thunk) try {
  const auto arguments = arguments_of(thunk);
  return arguments && !arguments->empty() ? arguments->front() : nullptr;
} catch (const std::exception&) {
  return nullptr;
}

bool is_argument_of(Node* thunk, const Node* node) try {
  const auto arguments = arguments_of(thunk);
  return arguments && std::find(arguments->begin(), arguments->end(), node) != arguments->end();
} catch (const std::exception&) {
  return false;
}

std::vector<Node*> references_of(Node* value) {
  return nodes_in(value->code().pack_value, value);
}

std::optional<boost::unordered_flat_set<Node*>> needed_by(Node* thunk, std::size_t most) try {
  auto arguments = arguments_of(thunk);
  if (!arguments) return std::nullopt;
  auto& nodes = *arguments;
  boost::unordered_flat_set<Node*> found(nodes.begin(), nodes.end());
  while (!nodes.empty() && found.size() < most) {
    Node* const node = nodes.back();
    nodes.pop_back();
    if (node->state() != State::value || node->code().plain_result != 0) continue;
    for (Node* next : references_of(node))
      if (found.insert(next).second) nodes.push_back(next);
  }
  return found;
} catch (const std::exception&) {
  return std::nullopt;
}

std::optional<boost::unordered_flat_set<Node*>> all_below(Node* value, std::size_t most,
                                                          std::size_t& looked) try {
  std::vector<Node*> next{value};
  boost::unordered_flat_set<Node*> found{value};
  while (!next.empty()) {
    Node* const node = next.back();
    next.pop_back();
    ++looked;
    if (node->state() == State::exception && !is_lost(node)) continue;
    if (node->state() != State::value || found.size() > most) return std::nullopt;
    if (node->code().plain_result != 0) continue;
    for (Node* below : references_of(node))
      if (found.insert(below).second) next.push_back(below);
  }
  return found;
} catch (const std::exception&) {
  return std::nullopt;
}

void copy_arguments(Node* thunk, Node* into, const Instead& instead) {
  const Code& code = thunk->code();
  copy(code.pack_arguments, thunk, code.unpack_arguments, into, instead);
}

Node* copy_of_value(Node* value, const Instead& instead) {
  const Code& code = value->code();
  Node* copied = Choice::fresh(code);
  copy(code.pack_value, value, code.unpack_value, copied, instead);
  copied->init(code, State::value);
  return copied;
}

Node* twin_of(Node* thunk) {
  const Code& code = thunk->code();
  auto* twin = static_cast<Node*>(allocate(code.bytes));
  twin->init(code, State::black_hole);
  copy_arguments(thunk, twin);
  twin->init(code, State::unevaluated);
  return twin;
}

}  // namespace trawl::heap
