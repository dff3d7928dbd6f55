#include "rts/heap/pack.hpp"

#include <optional>

#include <boost/unordered/unordered_flat_map.hpp>
#include <boost/unordered/unordered_flat_set.hpp>

#include "rts/heap/serial.hpp"
#include "rts/heap/thunk.hpp"

namespace trawl::heap {
namespace {

enum class Part : std::uint8_t { value, named_value, failure, thunk, reference };

struct Entry {
  std::uint64_t size = 0;
  std::uint32_t code = 0;
  Part part = Part::reference;
  std::uint8_t unused[3] = {};
};

class GraphPacker final : PacketOut {
 public:
  GraphPacker(Writer& to, AddressBook& addresses, const PackLimits& limits, bool moves_thunks)
      : out_(to),
        archive_(to, *this),
        addresses_(addresses),
        limits_(limits),
        begin_(to.size()),
        thunks_left_(moves_thunks ? limits.thunks : 0) {}

  void pack(Node* root) {
    place_of(root);
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      Entry entry;
      entry.code = nodes_[i]->code().id;
      const auto at = out_.size();
      entry.part = put(nodes_[i], i == 0);
      entry.size = out_.size() - at;
      table_.push_back(entry);
    }
    out_.raw(table_.data(), table_.size() * sizeof(Entry));
    out_.put(static_cast<std::uint32_t>(table_.size()));
  }

 private:
  // Most packets are small: then looking through all nodes beats looking one up.
  std::uint32_t place_of(Node* node) override {
    const auto next = static_cast<std::uint32_t>(nodes_.size());
    if (next < few) {
      for (std::uint32_t i = 0; i < next; ++i)
        if (nodes_[i] == node) return i;
    } else {
      if (next == few)
        for (std::uint32_t i = 0; i < few; ++i) places_.emplace(nodes_[i], i);
      const auto [at, fresh] = places_.try_emplace(node, next);
      if (!fresh) return at->second;
    }
    nodes_.push_back(node);
    return next;
  }

  Part put(Node* node, bool root) {
    const bool room = root || out_.size() - begin_ < limits_.bytes;
    switch (node->state()) {
      case State::value:
        if (!room) break;
        return put_value(node, root);
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
    return put_reference(node);
  }

  Part put_value(Node* node, bool root) {
    const auto size_before = out_.size();
    const auto nodes_before = nodes_.size();
    const auto name = addresses_.name(node);
    if (name) out_.put(*name);
    node->code().pack_value(node, archive_);
    if (root || out_.size() - begin_ <= limits_.bytes)
      return name ? Part::named_value : Part::value;
    // Larger than the packet: what needs it fetches it by itself.
    out_.shrink(size_before);
    while (nodes_.size() > nodes_before) {
      places_.erase(nodes_.back());
      nodes_.pop_back();
    }
    return put_reference(node);
  }

  Part put_thunk(Node* node) {
    out_.put(addresses_.lend(node));
    node->code().pack_arguments(node, archive_);
    return Part::thunk;
  }

  Part put_reference(Node* node) {
    out_.put(addresses_.share(node));
    return Part::reference;
  }

  Writer& out_;
  Packer archive_;
  AddressBook& addresses_;
  const PackLimits& limits_;
  std::size_t begin_;
  std::size_t thunks_left_;
  static constexpr std::uint32_t few = 8;
  boost::container::small_vector<Node*, few> nodes_;
  boost::container::small_vector<Entry, few> table_;
  boost::unordered_flat_map<Node*, std::uint32_t> places_;
};

// In three passes: read the table and make all nodes, so that payloads can refer to any of them;
// read the payloads; then, when nothing can go wrong any more, let the nodes be seen as what they
// are.
class GraphUnpacker final : PacketIn {
 public:
  GraphUnpacker(Reader& from, AddressBook& addresses) : addresses_(addresses) {
    const auto packet = from.slice(from.left());
    if (packet.size() < sizeof(std::uint32_t)) throw BadBytes("it has no table");
    const auto body = packet.size() - sizeof(std::uint32_t);
    const auto count = Reader(packet.subspan(body)).get<std::uint32_t>();
    if (count == 0 || count > body / sizeof(Entry)) throw BadBytes("its table is too long");
    table_.resize(count);
    const auto table_size = count * sizeof(Entry);
    Reader(packet.subspan(body - table_size, table_size)).raw(table_.data(), table_size);
    payloads_ = packet.first(body - table_size);
  }

  Unpacked unpack(Node* into) {
    make_nodes(into);
    read_payloads();
    return reveal();
  }

 private:
  struct Item {
    Node* node = nullptr;
    bool filled = false;  // `node` is made from this record
    Reader payload{{}};
    Reference reference{};
  };

  Node* node_at(std::uint32_t place, const void* result_type) override {
    if (place >= items_.size()) throw BadBytes("it refers to a node that it does not contain");
    Node* node = items_[place].node;
    if (node->code().result_type != result_type)
      throw BadBytes("it refers to a node of another type");
    return node;
  }

  void make_nodes(Node* into) {
    Reader payloads(payloads_);
    items_.resize(table_.size());
    for (std::size_t i = 0; i < table_.size(); ++i) {
      const Entry& entry = table_[i];
      const Code& code = CodeTable::get().at(entry.code);
      items_[i].payload = Reader(payloads.slice(entry.size));
      if (i == 0 && into != nullptr && into->code().id != code.id)
        throw BadBytes("its root is not what was asked for");
      make_node(items_[i], entry.part, code, i == 0 ? into : nullptr);
    }
    if (payloads.left() != 0) throw BadBytes("it is longer than its nodes");
  }

  void make_node(Item& item, Part part, const Code& code, Node* into) {
    switch (part) {
      case Part::named_value:
        return choose(item, code, into != nullptr ? into : known(item.payload.get<Address>(), code),
                      into != nullptr);
      case Part::value:
      case Part::failure:
        return choose(item, code, into, false);
      case Part::thunk:
        if (code.evaluate == nullptr) throw BadBytes("it moves a value as if it were a thunk");
        item.reference = item.payload.get<Reference>();
        check_origin(item.reference);
        return choose(item, code, into, false);
      case Part::reference:
        if (into != nullptr) throw BadBytes("its root is only a reference");
        item.reference = item.payload.get<Reference>();
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
  void choose(Item& item, const Code& code, Node* known_node, bool skip_name) {
    if (skip_name) item.payload.get<Address>();
    item.node = known_node;
    if (known_node != nullptr) {
      const auto state = known_node->state();
      if (state == State::value) return;
      const bool lacks =
          state == State::fetch_me || state == State::fetching || state == State::exported;
      // Two nodes of the sender may both be copies of this one.
      item.filled = lacks && chosen_.insert(known_node).second;
      if (item.filled && state == State::exported) known_node->code().drop_arguments(known_node);
      if (item.filled) return;
    }
    item.node = fresh(code);
    item.filled = true;
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

  void read_payloads() {
    for (std::size_t i = 0; i < items_.size(); ++i) {
      Item& item = items_[i];
      if (!item.filled || table_[i].part == Part::reference) continue;
      Unpacker archive(item.payload, *this);
      switch (table_[i].part) {
        case Part::failure:
          failure_of(item.node) = unpack_failure(item.payload);
          break;
        case Part::thunk:
          item.node->code().unpack_arguments(item.node, archive);
          break;
        default:
          item.node->code().unpack_value(item.node, archive);
          break;
      }
      if (item.payload.left() != 0) throw BadBytes("one of its nodes is longer than its type");
    }
  }

  Unpacked reveal() {
    Unpacked result;
    result.root = items_[0].node;
    for (std::size_t i = 0; i < items_.size(); ++i) reveal(items_[i], table_[i].part, result);
    return result;
  }

  void reveal(Item& item, Part part, Unpacked& result) {
    if (part == Part::reference) return take_reference(item);
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
    addresses_.adopt(item.node, item.reference);
    if (item.filled) item.node->settle(State::black_hole, State::fetch_me);
  }

  AddressBook& addresses_;
  boost::container::small_vector<Entry, 4> table_;
  std::span<const std::byte> payloads_;
  boost::container::small_vector<Item, 4> items_;
  boost::unordered_flat_set<Node*> chosen_;  // known nodes that get their value
  std::optional<std::uint32_t> origin_;      // of all thunks
};

}  // namespace

void pack_graph(Writer& to, Node* root, AddressBook& addresses, const PackLimits& limits) {
  const bool moves_thunks = root->state() == State::exported;
  GraphPacker(to, addresses, limits, moves_thunks).pack(root);
}

Unpacked unpack_graph(Reader& from, AddressBook& addresses, Node* into) {
  return GraphUnpacker(from, addresses).unpack(into);
}

}  // namespace trawl::heap
