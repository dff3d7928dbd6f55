#include "rts/heap/pack.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <utility>
#include <vector>

#include "rts/heap/baggage.hpp"
#include "rts/heap/failure.hpp"
#include "rts/heap/packed_nodes.hpp"
#include "rts/heap/packet.hpp"
#include "rts/inline/serial.hpp"
#include "rts/inline/thunk.hpp"

namespace trawl::heap {

void throw_not_packed() {
  try {
    throw;
  } catch (const PacketFull&) {
    throw;
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception& e) {
    throw Error(std::string("a value could not be packed: ") + e.what());
  } catch (...) {
    throw Error("a value could not be packed: its serialize has thrown what is no std::exception");
  }
}

namespace {

/// Bytes that a value takes in a packet from which on it gets a name when it goes along with a
/// thunk.
constexpr std::size_t large_enough_to_share = 256;
/// Of a value of plain bytes: a smaller one costs less than its name.
constexpr std::size_t smallest_to_name = 64;

class GraphPacker final : public PacketOut {
 public:
  GraphPacker(Writer& to, GlobalAddressTable& addresses, const PackLimits& limits,
              bool moves_thunks, const Receiver& receiver, Following* following)
      : out_(to),
        packer_(to, *this),
        addresses_(addresses),
        begin_(to.size()),
        end_(begin_ + std::min(limits.bytes, std::numeric_limits<std::size_t>::max() - begin_)),
        moves_thunks_(moves_thunks),
        thunks_left_(moves_thunks ? limits.thunks : 0),
        receiver_(receiver),
        following_(following),
        depth_first_(following != nullptr && following->depth_first()),
        largest_beside_thunk_(moves_thunks ? PackLimits::largest_beside_thunk : limits.bytes) {}

  /// Gives the number of thunks that move.
  std::size_t pack(Node* root) {
    try {
      pack_from(root);
      while (following_ != nullptr && has_room() && (!moves_thunks_ || thunks_left_ != 0)) {
        Node* next = following_->next(moved_.size(), !is_reference(first_part_));
        if (next == nullptr) break;
        pack_from(next);
      }
      if (depth_first_) order_.finish(out_);
      write_table();
    } catch (...) {
      take_back();
      throw;
    }
    return moved_.size() + (moves_thunks_ ? 1 : 0);
  }

 private:
  struct Given {
    Node* node;
    Reference reference;  // of no weight until it is
  };

  /// What a node was first found in.
  enum class Within : std::uint8_t { value, thunk, table };
  /// Of the nodes up to `end`, from where the one before ends.
  struct Stretch {
    std::size_t end;
    Within within;
  };

  void pack_from(Node* first) {
    const auto known = nodes_.size();
    first_ = nodes_.place_of(first);
    if (!depth_first_) {
      for (; place_ < nodes_.size(); ++place_) {
        number_ = place_;
        pack_next(nodes_[place_]);
      }
      return;
    }
    order_.found(known, nodes_.size());
    for (; !order_.empty(); ++place_) {
      number_ = order_.take(place_);
      const auto before = nodes_.size();
      pack_next(nodes_[number_]);
      order_.found(before, nodes_.size());
    }
  }

  void pack_next(Node* node) {
    const auto at = out_.size();
    const auto alike = node->word.load(std::memory_order_acquire) == alike_;
    const auto part = alike && has_room() ? put_alike(node, at) : put_other(node);
    if (number_ == first_) first_part_ = part;
    add({.size = out_.size() - at, .code = node->code().id, .part = part}, place_ > 1);
  }

  // Most of a long packet's nodes are like the one before: a value, without a name, of one type.
  Part put_alike(Node* node, std::size_t size_before) {
    const auto nodes_before = nodes_.size();
    if (!fits(node)) {
      take_back(size_before, nodes_before);
      return put_left_out(node, size_before);
    }
    packer_.end_node();
    return Part::value;
  }

  /// False: what was packed of the value is to be taken back.
  bool fits(Node* value) {
    try {
      value->code().pack_value(value, packer_);
      return !packer_.overflowed();
    } catch (const PacketFull&) {
      return false;
    }
  }

  Part put_other(Node* node) {
    const auto at = out_.size();
    packed_ = node;
    const auto part = put(node, place_ == 0);
    if (place_ == 0 && part == Part::thunk && node->code().placed &&
        receiver_.pe != addresses_.self())
      placed_with_root_ = nodes_.size();
    if (moves_thunks_) note_found(part, out_.size() - at);
    if (part == Part::value && place_ != 0 && !moves_thunks_)
      alike_ = reinterpret_cast<std::uintptr_t>(&node->code()) |
               static_cast<std::uintptr_t>(State::value);
    packer_.end_node();
    return part;
  }

  void write_table() {
    runs_.front().takes_long = lent_ > long_piece ? 1 : 0;
    runs_.front().in_order = depth_first_ && !moves_thunks_ ? 1 : 0;
    out_.raw(runs_.data(), runs_.size() * sizeof(Run));
    out_.put(static_cast<std::uint32_t>(runs_.size()));
  }

  // A table that many share is no reason to take along the thunks in it: others are about them.
  void note_found(Part part, std::size_t size) {
    const auto end = nodes_.size();
    if (end == (found_.empty() ? 1 : found_.back().end)) return;
    const bool in_table = within() == Within::table || size >= large_enough_to_share;
    const auto its = part == Part::thunk ? Within::thunk : in_table ? Within::table : Within::value;
    if (!found_.empty() && found_.back().within == its)
      found_.back().end = end;
    else
      found_.push_back({end, its});
  }

  Within within() const {
    const auto found = std::partition_point(
        found_.begin(), found_.end(), [this](const Stretch& each) { return each.end <= number_; });
    return found == found_.end() ? Within::value : found->within;
  }

  void take_back() noexcept {
    for (const auto& [node, reference] : given_)
      if (reference.weight != 0) addresses_.take_back(node, reference);
    for (Node* node : moved_) node->settle(State::exported, State::unevaluated);
  }

  Reference lend(Node* node) {
    auto& given = given_.emplace_back(Given{node, {}});
    return given.reference = addresses_.lend(node);
  }

  Reference lend_thunk(Node* node) {
    auto& given = given_.emplace_back(Given{node, {}});
    return given.reference = addresses_.lend_to(node, receiver_.pe);
  }

  Reference share(Node* node) {
    auto& given = given_.emplace_back(Given{node, {}});
    return given.reference = addresses_.share(node);
  }

  std::uint32_t place_of(Node* node, std::size_t before_end) override {
    if (depth_first_) order_.refers(out_.view().size() - before_end);
    return nodes_.place_of(node);
  }

  Loan lend(std::span<const std::byte> array) override {
    lent_ += array.size();
    Loan loan{keeps_, reinterpret_cast<std::uintptr_t>(array.data())};
    if (std::exchange(lends_, packed_) != packed_)
      loan.keeps = keeps_ = lend(packed_);
    else
      loan.keeps.weight = 0;
    return loan;
  }

  void lay(std::span<const std::byte> array) override { out_.lay(array, packed_); }

  // A vector has its begin and end beside each other. (Where one has been, there is nothing left of
  // it: see ArgumentsOf::drop.)
  bool is_members([[maybe_unused]] std::span<const std::byte> array) const override {
#ifndef TRAWL_NO_COLLECTOR  // without it nothing is lent
    const std::array ends{array.data(), array.data() + array.size()};
    for (auto at = sizeof(Node::word); at + sizeof ends <= packed_->code().bytes;
         at += sizeof(void*))
      if (std::memcmp(packed_->payload(at), ends.data(), sizeof ends) == 0) return true;
#endif
    return false;
  }

  void add(const Run& run, bool may_follow) {
    if (may_follow && runs_.back().fits(run))
      ++runs_.back().count;
    else
      runs_.push_back(run);
  }

  bool has_room() const noexcept {
    return !full_ && out_.size() < end_;
  }

  Part put(Node* node, bool root) {
    const bool room = root || has_room();
    switch (node->state()) {
      case State::value:
        if (!root && node->code().kept) break;
        return room ? put_value(node, root) : put_rest(node, Part::rest);
      case State::exception:
        if (!room) break;
        if (is_lost(node)) {  // elsewhere it can perhaps be made again
          if (!root) break;
          return Part::lost;
        }
        pack_failure(out_, *failure_of(node));
        return Part::failure;
      case State::unevaluated:
        if (node->code().placed) {
          if (number_ >= placed_with_root_ || !claim(node)) break;
          return put_thunk(node);
        }
        if (!moves_thunks_ || within() == Within::table) break;
        if (!room || thunks_left_ == 0) return put_rest(node, Part::reference);
        if (!claim(node)) break;
        if (number_ == first_ && has_baggage(node, addresses_, receiver_.pe)) {
          unclaim_last();  // it stays with its data
          break;
        }
        --thunks_left_;
        return put_thunk(node);
      case State::exported:
        if (root) return put_thunk(node);
        break;
      default:
        break;
    }
    return put_reference(
        node, addresses_.known_evaluated(node) ? Part::value_reference : Part::reference);
  }

  bool claim(Node* node) {
    moved_.push_back(node);
    if (node->move(State::unevaluated, State::exported)) return true;
    moved_.pop_back();
    return false;
  }

  void unclaim_last() noexcept {
    moved_.back()->settle(State::exported, State::unevaluated);
    moved_.pop_back();
  }

  Part put_value(Node* node, bool root) {
    if (!root && is_there(node)) return put_reference(node, Part::reference);
    const auto size_before = out_.size();
    const auto nodes_before = nodes_.size();
    // The root's receiver knows what it is for.
    auto name = root ? std::nullopt : addresses_.name(node);
    const bool shared = name && moves_thunks_ && name->pe == addresses_.self();
    if (shared) name.reset();
    if (name) out_.put(*name);
    const auto size_left = end_ - std::min(end_, size_before);
    const bool large = !root && largest_beside_thunk_ < size_left;
    if (root)
      packer_.no_limit(receiver_.arrays);
    else
      packer_.limit(large ? size_before + largest_beside_thunk_ : end_);
    if (!fits(node)) {
      take_back(size_before, nodes_before);
      return large ? put_reference(node, Part::value_reference) : put_left_out(node, size_before);
    }
    if (name) return Part::named_value;
    if (root || !(shared || may_be_shared(node, out_.size() - size_before))) return Part::value;
    return put_name(node);
  }

  void take_back(std::size_t size, std::size_t nodes) {
    out_.shrink(size);
    while (nodes_.size() > nodes) nodes_.pop();
    order_.shrink(out_.view().size());
    packer_.drop_node();
  }

  // A packet that is half empty is not full: the value is larger than a packet, and what needs it
  // fetches it by itself.
  Part put_left_out(Node* node, std::size_t size) {
    const auto half = (end_ - begin_) / 2;
    full_ = size - begin_ >= half;
    if (full_) return put_rest(node, Part::rest);
    return put_reference(node,
                         half >= PackLimits::large ? Part::large_reference : Part::value_reference);
  }

  /// A copy of it is known to be there. (A small one is sent again: it is no longer than its name.)
  bool is_there(Node* node) const {
    const auto plain = node->code().plain_result;
    return (plain == 0 || plain > smallest_to_name) && addresses_.has_copy(node, receiver_.pe);
  }

  // Other sparks are likely to refer to it too.
  bool may_be_shared(Node* node, std::size_t size) {
    if (!moves_thunks_) return false;
    return size >= large_enough_to_share ||
           (node->code().plain_result == 0 && within() == Within::thunk);
  }

  // Behind the value: whether it was to be named shows when it has been written.
  Part put_name(Node* node) {
    out_.put(lend(node));
    addresses_.note_copy(node, receiver_.pe);
    return Part::shared_value;
  }

  Part put_thunk(Node* node) {
    const auto name = lend_thunk(node);
    out_.put(name);
    if (number_ == 0)
      root_slot_ = name.at.slot;
    else if (first_ == 0 && root_slot_ != 0)  // all are acknowledged together
      addresses_.note_with(name.at.slot, std::exchange(root_slot_, 0));
    packer_.no_limit(receiver_.arrays);
    node->code().pack_arguments(node, packer_);
    return Part::thunk;
  }

  Part put_reference(Node* node, Part part) {
    out_.put(share(node));
    return part;
  }

  // It would go along, were there room.
  Part put_rest(Node* node, Part part) {
    const auto reference = share(node);
    out_.put(reference);
    if (following_ != nullptr && reference.at.pe == addresses_.self())
      following_->left(reference.at.slot);
    return part;
  }

  Writer& out_;
  Packer packer_;
  GlobalAddressTable& addresses_;
  std::size_t begin_;
  std::size_t end_;
  bool moves_thunks_;
  std::size_t thunks_left_;
  std::size_t placed_with_root_ = 0;  // nodes up to here go where a placed root goes
  Receiver receiver_;
  Following* following_;
  bool depth_first_;
  DepthFirst order_;
  std::size_t lent_ = 0;         // bytes
  const Node* lends_ = nullptr;  // the last that has lent an array
  Reference keeps_;              // ... and by which name
  std::size_t largest_beside_thunk_;
  bool full_ = false;
  Places nodes_;
  Node* packed_ = nullptr;  // at the moment, unless it is like the one before
  std::uintptr_t alike_ = 0;
  std::size_t place_ = 0;        // its
  std::size_t number_ = 0;       // ... in the order in which they were found
  std::uint64_t root_slot_ = 0;  // of a root that is a thunk and has gone alone so far
  std::size_t first_ = 0;        // of what is packed: the root, or what follows
  Part first_part_ = Part::value;
  boost::container::small_vector<Stretch, 4, PlainAllocator<Stretch>> found_;
  boost::container::small_vector<Run, 8, PlainAllocator<Run>> runs_;
  boost::container::small_vector<Given, 4, PlainAllocator<Given>> given_;
  boost::container::small_vector<Node*, 4, PlainAllocator<Node*>> moved_;  // beside the root
};

// A value of plain bytes refers to nothing: it is alone in its packet.
std::size_t pack_plain(Writer& to, Node* root) {
  const Code& code = root->code();
  to.raw(root->payload(code.result_at), code.plain_result);
  to.put(Run{.size = code.plain_result, .code = code.id, .part = Part::value});
  to.put(std::uint32_t{1});
  return 0;
}

}  // namespace

std::size_t pack_graph(Writer& to, Node* root, GlobalAddressTable& addresses,
                       const PackLimits& limits, const Receiver& receiver, Following* following) {
  const auto state = root->state();
  const auto plain = state == State::value ? root->code().plain_result : 0;
  if (plain != 0 && (following == nullptr || plain >= limits.bytes)) return pack_plain(to, root);
  const bool moves_thunks = state == State::exported;
  return GraphPacker(to, addresses, limits, moves_thunks, receiver, following).pack(root);
}

}  // namespace trawl::heap
