#include "rts/heap/pack.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include <boost/unordered/unordered_flat_set.hpp>

#include "rts/heap/serial.hpp"
#include "rts/heap/thunk.hpp"

namespace trawl::heap {
namespace {

enum class Part : std::uint8_t {
  value,
  named_value,
  failure,
  thunk,
  reference,
  rest,  ///< a reference to a value that would have come along, had there been room
};

/// Nodes that follow each other and are alike. The root is alone, and so is a node without bytes:
/// so there are no more nodes than bytes.
struct Run {
  std::uint64_t size = 0;  ///< of each
  std::uint32_t count = 1;
  std::uint32_t code = 0;
  Part part = Part::reference;
  std::uint8_t unused[7] = {};

  bool fits(const Run& next) const noexcept {
    return size == next.size && code == next.code && part == next.part && size != 0 &&
           count != std::numeric_limits<std::uint32_t>::max();
  }
};

/// A packet's nodes in their order, each once.
class Places {
 public:
  std::uint32_t place_of(Node* node) {
    const auto next = static_cast<std::uint32_t>(nodes_.size());
    // Most packets are small: then looking through all nodes beats looking one up.
    if (next < few && table_.empty()) {
      for (std::uint32_t i = 0; i < next; ++i)
        if (nodes_[i] == node) return i;
    } else {
      if (2 * (next + 1) > table_.size()) grow();
      auto& entry = table_[find(node)];
      if (entry != 0) return entry - 1;
      entry = next + 1;
    }
    nodes_.push_back(node);
    return next;
  }

  std::size_t size() const noexcept { return nodes_.size(); }
  Node* operator[](std::size_t place) const { return nodes_[place]; }

  /// Takes the newest back. (What came before it has not been moved by it.)
  void pop() {
    if (!table_.empty()) table_[find(nodes_.back())] = 0;
    nodes_.pop_back();
  }

 private:
  static constexpr std::uint32_t few = 8;
  static constexpr std::size_t smallest_table = 64;

  std::size_t find(Node* node) const {
    const auto mask = table_.size() - 1;
    auto at = (reinterpret_cast<std::uintptr_t>(node) * 0x9e3779b97f4a7c15U >> 32U) & mask;
    while (table_[at] != 0 && nodes_[table_[at] - 1] != node) at = (at + 1) & mask;
    return at;
  }

  void grow() {
    table_.assign(std::max(smallest_table, 4 * table_.size()), 0);
    for (std::uint32_t i = 0; i < nodes_.size(); ++i) table_[find(nodes_[i])] = i + 1;
  }

  // In memory that the collector need not see: all nodes can be reached from the root.
  boost::container::small_vector<Node*, few, PlainAllocator<Node*>> nodes_;
  std::vector<std::uint32_t, PlainAllocator<std::uint32_t>> table_;  // place + 1; 0: free
};

class GraphPacker final : public PacketOut {
 public:
  GraphPacker(Writer& to, AddressBook& addresses, const PackLimits& limits, bool moves_thunks)
      : out_(to),
        addresses_(addresses),
        begin_(to.size()),
        end_(begin_ + std::min(limits.bytes, std::numeric_limits<std::size_t>::max() - begin_)),
        thunks_left_(moves_thunks ? limits.thunks : 0),
        largest_beside_thunk_(moves_thunks ? PackLimits::largest_beside_thunk : limits.bytes) {
    new_archive();
  }

  void pack(Node* root) {
    nodes_.place_of(root);
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      Run run;
      run.code = nodes_[i]->code().id;
      const auto at = out_.size();
      run.part = put(nodes_[i], i == 0);
      run.size = out_.size() - at;
      if (i > 1 && runs_.back().fits(run))
        ++runs_.back().count;
      else
        runs_.push_back(run);
      if (archive_->remembers()) new_archive();
    }
    out_.raw(runs_.data(), runs_.size() * sizeof(Run));
    out_.put(static_cast<std::uint32_t>(runs_.size()));
  }

 private:
  std::uint32_t place_of(Node* node) override { return nodes_.place_of(node); }

  void new_archive() { archive_.emplace(out_, *this); }

  Part put(Node* node, bool root) {
    const bool room = root || (!full_ && out_.size() < end_);
    switch (node->state()) {
      case State::value:
        return room ? put_value(node, root) : put_reference(node, Part::rest);
      case State::exception:
        if (!room) break;
        pack_failure(out_, *failure_of(node));
        return Part::failure;
      case State::unevaluated:
        if (!room || thunks_left_ == 0 || !node->move(State::unevaluated, State::exported)) break;
        --thunks_left_;
        return put_thunk(node);
      case State::exported:
        if (root) return put_thunk(node);
        break;
      default:
        break;
    }
    return put_reference(node, Part::reference);
  }

  Part put_value(Node* node, bool root) {
    const auto size_before = out_.size();
    const auto nodes_before = nodes_.size();
    const auto name = addresses_.name(node);
    if (name) out_.put(*name);
    const auto size_left = end_ - std::min(end_, size_before);
    const bool large = !root && largest_beside_thunk_ < size_left;
    archive_->limit(root    ? std::numeric_limits<std::size_t>::max()
                    : large ? size_before + largest_beside_thunk_
                            : end_);
    try {
      node->code().pack_value(node, *archive_);
      return name ? Part::named_value : Part::value;
    } catch (const PacketFull&) {
      out_.shrink(size_before);
      while (nodes_.size() > nodes_before) nodes_.pop();
      new_archive();
    }
    if (large) return put_reference(node, Part::reference);
    // A packet that is half empty is not full: the value is larger than a packet, and what needs it
    // fetches it by itself.
    full_ = size_before - begin_ >= (end_ - begin_) / 2;
    return put_reference(node, full_ ? Part::rest : Part::reference);
  }

  Part put_thunk(Node* node) {
    out_.put(addresses_.lend(node));
    archive_->limit(std::numeric_limits<std::size_t>::max());
    node->code().pack_arguments(node, *archive_);
    return Part::thunk;
  }

  Part put_reference(Node* node, Part part) {
    out_.put(addresses_.share(node));
    return part;
  }

  Writer& out_;
  std::optional<Packer> archive_;
  AddressBook& addresses_;
  std::size_t begin_;
  std::size_t end_;
  std::size_t thunks_left_;
  std::size_t largest_beside_thunk_;
  bool full_ = false;
  Places nodes_;
  boost::container::small_vector<Run, 8, PlainAllocator<Run>> runs_;
};

// In three passes: read the table and make all nodes, so that payloads can refer to any of them;
// read the payloads; then, when nothing can go wrong any more, let the nodes be seen as what they
// are.
class GraphUnpacker final : public PacketIn {
 public:
  GraphUnpacker(Reader& from, AddressBook& addresses) : addresses_(addresses) {
    const auto packet = from.slice(from.left());
    if (packet.size() < sizeof(std::uint32_t)) throw BadBytes("it has no table");
    const auto body = packet.size() - sizeof(std::uint32_t);
    const auto count = Reader(packet.subspan(body)).get<std::uint32_t>();
    if (count == 0 || count > body / sizeof(Run)) throw BadBytes("its table is too long");
    runs_.resize(count);
    const auto table_size = count * sizeof(Run);
    Reader(packet.subspan(body - table_size, table_size)).raw(runs_.data(), table_size);
    payloads_ = packet.first(body - table_size);
    check_runs();
    archive_.emplace(payload_, *this);
  }

  Unpacked unpack(Node* into, const Ahead& ahead) {
    make_nodes(into);
    if (ahead) look_ahead(ahead);
    read_payloads();
    return reveal();
  }

 private:
  /// A node that is not simply made and filled.
  struct Item {
    Node* node = nullptr;
    bool filled = false;                    // `node` is made from this record
    std::optional<std::uint32_t> ticket{};  // it was fetched ahead
    std::size_t read = 0;                   // of the payload
    Reference reference{};
  };

  // New nodes that nobody knows yet.
  bool plain(std::size_t run) const {
    const auto part = runs_[run].part;
    return run != 0 && (part == Part::value || part == Part::failure);
  }

  void check_runs() {
    std::uint64_t nodes = 0;
    std::uint64_t items = 0;
    auto left = payloads_.size();
    for (std::size_t r = 0; r < runs_.size(); ++r) {
      const Run& run = runs_[r];
      if (run.count == 0 || (run.count != 1 && (r == 0 || run.size == 0)))
        throw BadBytes("its table makes no sense");
      if (run.size != 0 && run.count > left / run.size)
        throw BadBytes("its nodes are longer than itself");
      left -= run.size * run.count;
      nodes += run.count;
      if (!plain(r)) items += run.count;
    }
    if (left != 0) throw BadBytes("it is longer than its nodes");
    nodes_.reserve(static_cast<std::size_t>(nodes));
    items_.reserve(static_cast<std::size_t>(items));
  }

  Node* node_at(std::uint32_t place, const void* result_type) override {
    if (place >= nodes_.size()) throw BadBytes("it refers to a node that it does not contain");
    Node* node = nodes_[place];
    if (node->code().result_type != result_type)
      throw BadBytes("it refers to a node of another type");
    return node;
  }

  void make_nodes(Node* into) {
    Reader payloads(payloads_);
    for (std::size_t r = 0; r < runs_.size(); ++r) {
      const Run& run = runs_[r];
      const Code& code = CodeTable::get().at(run.code);
      if (r == 0 && into != nullptr && into->code().id != code.id)
        throw BadBytes("its root is not what was asked for");
      if (plain(r)) {
        payloads.slice(run.size * run.count);
        for (std::uint32_t i = 0; i < run.count; ++i) nodes_.push_back(fresh(code));
        continue;
      }
      for (std::uint32_t i = 0; i < run.count; ++i) {
        Item& item = items_.emplace_back();
        payload_ = Reader(payloads.slice(run.size));
        make_node(item, run.part, code, r == 0 ? into : nullptr);
        item.read = run.size - payload_.left();
        nodes_.push_back(item.node);
      }
    }
  }

  void make_node(Item& item, Part part, const Code& code, Node* into) {
    switch (part) {
      case Part::named_value: {
        const auto name = payload_.get<Address>();
        return choose(item, code, into != nullptr ? into : known(name, code));
      }
      case Part::value:
      case Part::failure:
        return choose(item, code, into);
      case Part::thunk:
        if (code.evaluate == nullptr) throw BadBytes("it moves a value as if it were a thunk");
        item.reference = payload_.get<Reference>();
        check_origin(item.reference);
        return choose(item, code, into);
      case Part::reference:
      case Part::rest:
        if (into != nullptr) throw BadBytes("its root is only a reference");
        item.reference = payload_.get<Reference>();
        if (payload_.left() != 0) throw BadBytes("one of its references is too long");
        addresses_.check(item.reference.at.pe);
        if (item.reference.weight == 0) throw BadBytes("it has a reference without weight");
        item.node = known(item.reference.at, code);
        if (item.node != nullptr) return;
        if (item.reference.at.pe == addresses_.self())
          throw BadBytes("it refers to a node that is gone");
        item.node = fresh(code);
        item.filled = true;
        return;
    }
    throw BadBytes("it has a node of unknown kind");
  }

  // One acknowledgement answers a whole packet.
  void check_origin(const Reference& was) {
    addresses_.check(was.at.pe);
    if (!origin_) origin_ = was.at.pe;
    if (was.at.pe != *origin_ || was.at.pe == addresses_.self() || was.weight == 0)
      throw BadBytes("it moves a thunk that was not the sender's");
  }

  // The node that an item becomes: a known one that lacks its value, else a fresh one.
  void choose(Item& item, const Code& code, Node* known_node) {
    item.node = known_node;
    if (known_node != nullptr) {
      const auto state = known_node->state();
      if (state == State::value) return;
      const bool lacks =
          state == State::fetch_me || state == State::fetching || state == State::exported;
      // Two nodes of the sender may both be copies of this one.
      item.filled = lacks && chosen_first_time(known_node);
      if (item.filled && state == State::exported) known_node->code().drop_arguments(known_node);
      if (item.filled) return;
    }
    item.node = fresh(code);
    item.filled = true;
  }

  bool chosen_first_time(Node* node) {
    if (chosen_one_ == nullptr) chosen_one_ = node;  // in most packets there is no other
    return node == chosen_one_ ? !std::exchange(chosen_one_again_, true)
                               : chosen_.insert(node).second;
  }

  // Nobody can reach it yet; it becomes visible in reveal().
  static Node* fresh(const Code& code) {
    auto* node = static_cast<Node*>(allocate(code.bytes));
    node->init(code, State::black_hole);
    return node;
  }

  Node* known(const Address& at, const Code& code) {
    Node* node = at.pe == addresses_.self() ? addresses_.own(at.slot) : addresses_.proxy(at);
    if (node != nullptr && node->code().id != code.id)
      throw BadBytes("it names a node that is of another type here");
    return node;
  }

  // A list goes on in one place, or in a few. A tree goes on in too many for a guess.
  void look_ahead(const Ahead& ahead) {
    constexpr std::uint64_t few = 4;
    std::uint64_t rests = 0;
    for (const Run& run : runs_) rests += run.part == Part::rest ? run.count : 0;
    if (rests == 0 || rests > few) return;
    each_item([&](Item& item, Part part) {
      if (part != Part::rest || !item.filled) return;
      item.ticket = ahead(item.reference.at);
    });
  }

  template <class F>
  void each_item(F f) {
    std::size_t next = 0;
    for (std::size_t r = 0; r < runs_.size(); ++r)
      if (!plain(r))
        for (std::uint32_t i = 0; i < runs_[r].count; ++i) f(items_[next++], runs_[r].part);
  }

  void read_payloads() {
    Reader payloads(payloads_);
    std::size_t node = 0;
    std::size_t item = 0;
    for (std::size_t r = 0; r < runs_.size(); ++r) {
      const Run& run = runs_[r];
      const bool whole = plain(r);
      const bool reference = run.part == Part::reference || run.part == Part::rest;
      for (std::uint32_t i = 0; i < run.count; ++i, ++node) {
        payload_ = Reader(payloads.slice(run.size));
        if (!whole) {
          const Item& its = items_[item++];
          if (reference || !its.filled) continue;
          payload_.slice(its.read);
        }
        read_payload(nodes_[node], run.part);
      }
    }
  }

  void read_payload(Node* node, Part part) {
    switch (part) {
      case Part::failure:
        failure_of(node) = unpack_failure(payload_);
        break;
      case Part::thunk:
        node->code().unpack_arguments(node, *archive_);
        break;
      default:
        node->code().unpack_value(node, *archive_);
        break;
    }
    if (payload_.left() != 0) throw BadBytes("one of its nodes is longer than its type");
    if (archive_->remembers()) archive_.emplace(payload_, *this);
  }

  Unpacked reveal() {
    Unpacked result;
    result.root = nodes_[0];
    std::size_t node = 0;
    for (std::size_t r = 0; r < runs_.size(); node += runs_[r++].count) {
      if (!plain(r)) continue;
      const auto state = runs_[r].part == Part::failure ? State::exception : State::value;
      for (std::uint32_t i = 0; i < runs_[r].count; ++i)
        nodes_[node + i]->settle(State::black_hole, state);
    }
    each_item([&](Item& item, Part part) { reveal(item, part, result); });
    return result;
  }

  void reveal(Item& item, Part part, Unpacked& result) {
    if (part == Part::reference || part == Part::rest) {
      take_reference(item);
      if (item.ticket) result.ahead.push_back(item.node);
      return;
    }
    if (!item.filled) return;
    const auto was = item.node->state();
    if (part == Part::thunk) {
      if (was != State::black_hole) addresses_.forget(item.node);
      item.node->settle(was, State::unevaluated);
      result.thunks.push_back({item.node, item.reference});
    } else {
      item.node->settle(was, part == Part::failure ? State::exception : State::value);
    }
    if (was != State::black_hole) result.resolved.push_back(item.node);
  }

  void take_reference(Item& item) {
    const auto& [at, weight] = item.reference;
    if (at.pe == addresses_.self()) return addresses_.give_back(at.slot, weight);
    if (item.ticket)
      addresses_.adopt(item.node, item.reference, *item.ticket);
    else
      addresses_.adopt(item.node, item.reference);
    if (item.filled) item.node->settle(State::black_hole, State::fetch_me);
  }

  AddressBook& addresses_;
  boost::container::small_vector<Run, 4, PlainAllocator<Run>> runs_;
  std::span<const std::byte> payloads_;
  Reader payload_{{}};  // of the node that is being read
  std::optional<Unpacker> archive_;
  // Where the collector looks: nobody else refers to the new nodes yet.
  boost::container::small_vector<Node*, 4> nodes_;
  boost::container::small_vector<Item, 4> items_;
  Node* chosen_one_ = nullptr;  // known nodes that get their value: the first, all others
  bool chosen_one_again_ = false;
  boost::unordered_flat_set<Node*> chosen_;
  std::optional<std::uint32_t> origin_;  // of all thunks
};

}  // namespace

void pack_graph(Writer& to, Node* root, AddressBook& addresses, const PackLimits& limits) {
  const bool moves_thunks = root->state() == State::exported;
  GraphPacker(to, addresses, limits, moves_thunks).pack(root);
}

Unpacked unpack_graph(Reader& from, AddressBook& addresses, Node* into, const Ahead& ahead) {
  return GraphUnpacker(from, addresses).unpack(into, ahead);
}

}  // namespace trawl::heap
