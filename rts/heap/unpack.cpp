#include <algorithm>
#include <cstring>
#include <optional>
#include <utility>
#include <vector>

#include "rts/heap/borrowed.hpp"
#include "rts/heap/choice.hpp"
#include "rts/heap/code.hpp"
#include "rts/heap/failure.hpp"
#include "rts/heap/origins.hpp"
#include "rts/heap/pack.hpp"
#include "rts/heap/packet.hpp"
#include "rts/heap/packet_table.hpp"
#include "rts/inline/serial.hpp"
#include "rts/inline/thunk.hpp"

namespace trawl::heap {

void throw_not_unpacked() {
  try {
    throw;
  } catch (const Explanation&) {  // BadBytes, or a PE is lost
    throw;
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception& e) {
    throw BadBytes(std::string("a value could not be unpacked: ") + e.what());
  } catch (...) {
    throw BadBytes(
        "a value could not be unpacked: its serialize, or its default constructor, has "
        "thrown what is no std::exception");
  }
}

namespace {

// What pack_plain has written. If it is anything else, GraphUnpacker finds out what.
bool unpack_plain(Reader& from, Node* into) {
  const Code& code = into->code();
  const auto size = code.plain_result;
  if (size == 0 || from.left() != size + sizeof(Run) + sizeof(std::uint32_t)) return false;
  Reader table(from.rest().subspan(size));
  const auto run = table.get<Run>();
  const bool alone = table.get<std::uint32_t>() == 1 && run.count == 1 && run.size == size;
  if (!alone || run.code != code.id || run.part != Part::value) return false;
  const auto was = into->state();
  if (was == State::exported) code.drop_arguments(into);
  std::memcpy(into->payload(code.result_at), from.slice(from.left()).data(), size);
  into->settle(was, State::value);
  return true;
}

// In three passes: read the table and make all nodes, so that payloads can refer to any of them;
// read the payloads; then, when nothing can go wrong any more, let the nodes be seen as what they
// are.
class GraphUnpacker final : public PacketIn {
 public:
  GraphUnpacker(std::span<const std::byte> packet, std::uint32_t from,
                GlobalAddressTable& addresses, const fabric::Memory& memory, fabric::Outbox* outbox,
                BeingRead* being_read)
      : from_(from),
        addresses_(addresses),
        outbox_(outbox),
        being_read_(being_read),
        table_(packet),
        unpacker_(payload_, *this),
        choice_(addresses),
        origins_(addresses, from),
        borrowed_(memory, addresses, from) {
    const bool takes_long = packet.size() > long_piece || table_.root().takes_long != 0;
    if (!takes_long) outbox_ = nullptr;
    if (outbox_ != nullptr) packet = outbox_->hold(packet);
    payloads_ = packet.first(table_.payload_size());
    nodes_.reserve(table_.nodes());
    items_.reserve(table_.items());
  }

  Unpacked unpack(Node* into, const Ahead* ahead) {
    const auto first = table_.root().part;
    if (first == Part::lost || first == Part::handed_back) {
      if (!addresses_.recovers()) throw BadBytes("it says that a PE is gone, and none may be");
      Unpacked nothing;
      nothing.lost = first == Part::lost;
      nothing.handed_back = !nothing.lost;
      return nothing;
    }
    try {
      make_nodes(into);
      if (ahead != nullptr) look_ahead(*ahead);
      note_ways();
      if (outbox_ != nullptr && being_read_ != nullptr) note_being_read();
      const Outside outside(outbox_);
      read_payloads();
    } catch (...) {
      for (const Item& item : items_)
        if (item.guard != nullptr) item.guard->code().move_arguments(item.guard, item.node);
      throw;
    }
    return reveal();
  }

 private:
  /// Payloads are read into nodes that nobody can reach, or that lack their value and get it from
  /// nobody else: all other messages that bring nodes wait, and this PE's threads are told.
  class Outside {
   public:
    explicit Outside(fabric::Outbox* outbox) : outbox_(outbox) {
      if (outbox_ != nullptr) outbox_->step_out();
    }
    ~Outside() {
      if (outbox_ != nullptr) outbox_->step_in();
    }
    Outside(const Outside&) = delete;
    Outside& operator=(const Outside&) = delete;

   private:
    fabric::Outbox* outbox_;
  };

  /// A node that is not simply made and filled.
  struct Item : Found {
    bool imported = false;                  // it is ours, and the reference is by its former name
    std::optional<std::uint32_t> ticket{};  // it was fetched ahead
    std::size_t read = 0;                   // of the payload
    Reference reference{};
    bool comes_back = false;  // a thunk of which we have kept the arguments
  };

  // Distributed data that this PE makes again from their copy, by another function.
  bool is_copy(const Node* into, const Code& code) const {
    return from_ == addresses_.self() && into->code().result_type == code.result_type;
  }

  Node* node_at(std::uint32_t place, const void* result_type) override {
    if (place >= nodes_.size()) throw BadBytes("it refers to a node that it does not contain");
    Node* node = nodes_[place];
    if (result_type != nullptr && node->code().result_type != result_type)
      throw BadBytes("it refers to a node of another type");
    if (origins_.ways.noted()) [[unlikely]]
      origins_.ways.note(place);
    return node;
  }

  void borrow(const Loan& loan, std::uint64_t size) override { borrowed_.check(loan, size); }

  void read(const Loan& loan, std::uint64_t offset, std::span<std::byte> into) override {
    if (borrowed_.read(loan, offset, into)) look_around();
  }

  // Whoever reads has a scope of the value's own memory.
  void look_around() override {
    if (outbox_ == nullptr) return;
    const StorageScope scope(Storage::scanned);
    outbox_->look_around();
  }

  void make_nodes(Node* into) {
    Reader payloads(payloads_);
    for (std::size_t r = 0; r < table_.size(); ++r) {
      const Run& run = table_[r];
      const Code& code = CodeTable::get().at(run.code);
      if (r == 0 && into != nullptr && into->code().id != code.id && !is_copy(into, code))
        throw BadBytes("its root is not what was asked for");
      if (table_.plain(r)) {
        payloads.slice(run.size * run.count);
        make_plain(run, code);
        continue;
      }
      for (std::uint32_t i = 0; i < run.count; ++i) {
        Item& item = items_.emplace_back();
        payload_ = Reader(payloads.slice(run.size));
        make_node(item, run.part, code, r == 0 ? into : nullptr);
        item.read = run.size - payload_.left();
        item.place = static_cast<std::uint32_t>(nodes_.size());
        nodes_.push_back(item.node);
      }
    }
  }

  // They are what they will be at once: until the packet's other nodes are revealed, they can be
  // reached from nowhere.
  void make_plain(const Run& run, const Code& code) {
    const auto begin = nodes_.size();
    nodes_.resize(begin + run.count);
    const std::span made(nodes_.data() + begin, run.count);
    allocate_many(code.bytes, made);
    const auto state = run.part == Part::failure ? State::exception : State::value;
    for (Node* node : made) node->init(code, state);
  }

  void make_node(Item& item, Part part, const Code& code, Node* into) {
    switch (part) {
      case Part::named_value:
        if (into != nullptr) throw BadBytes("its root has a name");
        return choice_.choose(item, code, choice_.known(payload_.get<Address>(), code));
      case Part::value:
      case Part::failure:
        return choice_.choose(item, code, into);
      case Part::shared_value:
        if (into != nullptr) throw BadBytes("its root has a name");
        if (payload_.left() < sizeof(Reference)) throw BadBytes("one of its values lacks its name");
        item.reference = Reader(payload_.rest().last(sizeof(Reference))).get<Reference>();
        if (!is_senders(item.reference))
          throw BadBytes("it names a value that was not the sender's");
        return choice_.choose(item, code, choice_.known(item.reference.at, code));
      case Part::thunk:
        if (code.evaluate == nullptr) throw BadBytes("it moves a value as if it were a thunk");
        item.reference = payload_.get<Reference>();
        if (!is_senders(item.reference))
          throw BadBytes("it moves a thunk that was not the sender's");
        if (!nodes_.empty()) into = choice_.known_proxy(item.reference.at, code);
        if (into != nullptr && into->state() == State::exported && addresses_.recovers()) {
          if (!choice_.first_time(into)) throw BadBytes("it moves a thunk twice");
          item.comes_back = true;
          item.node = into;
          return;
        }
        return choice_.choose(item, code, into);
      case Part::reference:
      case Part::rest:
      case Part::large_reference:
      case Part::value_reference:
        if (into != nullptr) throw BadBytes("its root is only a reference");
        item.reference = payload_.get<Reference>();
        if (payload_.left() != 0) throw BadBytes("one of its references is too long");
        addresses_.check(item.reference.at.pe);
        if (item.reference.weight == 0) throw BadBytes("it has a reference without weight");
        item.node = choice_.known(item.reference.at, code);
        if (item.node != nullptr) return;
        item.node = choice_.imported(item.reference.at, code);
        item.imported = item.node != nullptr;
        if (item.imported) return;
        if (item.reference.at.pe == addresses_.self())
          throw BadBytes("it refers to a node that is gone");
        item.node = Choice::fresh(code);
        item.filled = true;
        return;
      case Part::lost:
      case Part::handed_back:
        break;  // which is alone in its packet
    }
    throw BadBytes("it has a node of unknown kind");
  }

  // Whoever packs lends what is his, and moves thunks only to others. So ACKs and what loans weigh
  // go to who has sent the packet, and nowhere else.
  bool is_senders(const Reference& reference) const {
    return reference.at.pe == from_ && from_ != addresses_.self() && reference.weight != 0;
  }

  // A list goes on in one place, or in a few: what else is needed goes along, if it is asked for in
  // order. A tree goes on in too many places for a guess, unless the sender knows.
  void look_ahead(const Ahead& ahead) {
    constexpr std::uint64_t few = 4;
    std::uint64_t rests = 0;
    for (const Run& run : table_) rests += run.part == Part::rest ? run.count : 0;
    if (rests == 0 || (rests > few && table_.root().in_order == 0)) return;
    bool first = true;
    each_item([&](Item& item, Part part) {
      if (part != Part::rest || !item.filled || !std::exchange(first, false)) return;
      if (addresses_.is_dead(item.reference.at.pe)) return;
      item.ticket = ahead(item.reference.at);
    });
  }

  template <class F>
  void each_item(F f) {
    std::size_t next = 0;
    for (std::size_t r = 0; r < table_.size(); ++r)
      if (!table_.plain(r))
        for (std::uint32_t i = 0; i < table_[r].count; ++i) f(items_[next++], table_[r].part);
  }

  void note_being_read() {
    for (const Item& item : items_)
      if (item.comes_back || (item.filled && lacks_value(item.node)))
        being_read_->insert(item.node);
  }

  void read_payloads() {
    Reader payloads(payloads_);
    std::size_t node = 0;
    std::size_t item = 0;
    for (std::size_t r = 0; r < table_.size(); ++r) {
      const Run& run = table_[r];
      if (table_.plain(r)) {
        read_alike(run, payloads, {nodes_.data() + node, run.count});
      } else {
        for (std::uint32_t i = 0; i < run.count; ++i) {
          payload_ = Reader(payloads.slice(run.size));
          read_item(items_[item++], run.part);
        }
      }
      node += run.count;
    }
  }

  void read_alike(const Run& run, Reader& payloads, std::span<Node* const> nodes) {
    if (run.part == Part::failure || outbox_ != nullptr) {
      for (Node* node : nodes) {
        payload_ = Reader(payloads.slice(run.size));
        read_payload(node, run.part);
      }
      return;
    }
    const auto unpack_value = nodes.front()->code().unpack_value;
    for (Node* node : nodes) {
      payload_ = Reader(payloads.slice(run.size));
      unpack_value(node, unpacker_);
      end_payload();
    }
  }

  void read_item(const Item& item, Part part) {
    if (is_reference(part)) return origins_.ways.next_node();
    payload_.slice(item.read);
    if (part == Part::shared_value)
      payload_ = Reader(payload_.slice(payload_.left() - sizeof(Reference)));
    if (item.filled) return read_payload(item.node, part);
    // Read all the same, into a node that nobody will see: an array in it may be lent to us.
    const Code& code = item.node->code();
    Node* unseen = Choice::fresh(code);
    read_payload(unseen, part);
    unseen->init(code, part == Part::thunk     ? State::unevaluated
                       : part == Part::failure ? State::exception
                                               : State::value);
  }

  void read_payload(Node* node, Part part) {
    if (outbox_ != nullptr) unpacker_.begin_long_node();
    switch (part) {
      case Part::failure:
        failure_of(node) = unpack_failure(payload_);
        break;
      case Part::thunk:
        origins_.ways.begin_arguments();
        node->code().unpack_arguments(node, unpacker_);
        break;
      default:
        node->code().unpack_value(node, unpacker_);
        break;
    }
    end_payload();
  }

  void end_payload() {
    if (payload_.left() != 0) throw BadBytes("one of its nodes is longer than its type");
    unpacker_.end_node();
    origins_.ways.next_node();
  }

  // Where it may be needed.
  void note_ways() {
    const auto is_elsewhere = [](const Run& run) { return is_reference(run.part); };
    if (!addresses_.recovers() || std::none_of(table_.begin(), table_.end(), is_elsewhere)) return;
    const auto comes_from = [this](const Item& item) { return origins_.comes_from(item); };
    if (std::any_of(items_.begin(), items_.end(), comes_from)) origins_.ways.begin(nodes_.size());
  }

  void find_origins() {
    origins_.begin(nodes_.size());
    each_item([&](const Item& item, Part part) {
      if (!is_reference(part) && part != Part::failure) origins_.add(item);
    });
    origins_.pass_down();
  }

  Unpacked reveal() {
    Unpacked result;
    result.root = nodes_[0];
    if (origins_.ways.noted()) find_origins();
    each_item([&](Item& item, Part part) { reveal(item, part, result); });
    borrowed_.send_home();
    for (const Item& item : items_)
      if (item.guard != nullptr && !(origins_.ways.noted() && origins_.is_guarded(item)))
        item.guard->code().drop_arguments(item.guard);
    return result;
  }

  void reveal(Item& item, Part part, Unpacked& result) {
    addresses_.note_arrival(item.reference);
    if (is_reference(part)) {
      take_reference(item);
      if (part == Part::large_reference) result.leaves_data |= addresses_.note_large(item.node);
      if (part != Part::reference) addresses_.note_evaluated(item.node);
      if (addresses_.recovers()) origins_.note(item);
      if (item.ticket) result.ahead.push_back(item.node);
      if (part != Part::reference && origins_.is_deep(item)) result.deep.push_back(item.node);
      return;
    }
    if (part == Part::shared_value) addresses_.adopt(item.node, item.reference);
    if (item.comes_back) {
      addresses_.forget(item.node);
      item.node->settle(State::exported, State::unevaluated);
      result.thunks.push_back({item.node, item.reference});
      return result.resolved.push_back(item.node);
    }
    if (!item.filled) {
      // Its sender, who had it evaluated nowhere, is told that its value is here.
      if (part == Part::thunk) result.thunks.push_back({item.node, item.reference});
      return;
    }
    const auto was = item.node->state();
    if (part == Part::thunk) {
      if (was == State::black_hole) origins_.note_thunk(item, item.reference.at);
      if (was != State::black_hole) addresses_.forget(item.node);
      item.node->settle(was, State::unevaluated);
      result.thunks.push_back({item.node, item.reference});
    } else {
      item.node->settle(was, part == Part::failure ? State::exception : State::value);
      if (was != State::black_hole) forget_origins(item);
    }
    if (was != State::black_hole) result.resolved.push_back(item.node);
  }

  void take_reference(Item& item) {
    const auto& [at, weight] = item.reference;
    if (at.pe == addresses_.self()) return addresses_.give_back(at.slot, weight);
    // What is here keeps nothing alive elsewhere, though it is still known by that name.
    if (item.imported || (!item.filled && is_here(item.node)))
      return addresses_.send_home(item.reference);
    if (item.ticket)
      addresses_.adopt(item.node, item.reference, *item.ticket);
    else
      addresses_.adopt(item.node, item.reference);
    if (item.filled) item.node->settle(State::black_hole, State::fetch_me);
  }

  // If no ways were noted, nothing is elsewhere that comes from anything.
  void forget_origins(const Item& value) {
    if (!addresses_.recovers()) return;
    const bool whole = !origins_.ways.noted() || !origins_.ways.refers(value.place);
    if (whole)
      addresses_.forget_origins(value.node);
    else
      addresses_.forget_lineage(value.node);
  }

  bool is_here(Node* node) const {
    const Witness* witness = addresses_.witness(node);
    return witness != nullptr && witness->here;
  }

  std::uint32_t from_;
  GlobalAddressTable& addresses_;
  fabric::Outbox* outbox_;  // nullptr: it doesn't take long
  BeingRead* being_read_;
  PacketTable table_;
  std::span<const std::byte> payloads_;
  Reader payload_{{}};  // of the node that is being read
  Unpacker unpacker_;
  // Where the collector looks: nobody else refers to the new nodes yet.
  boost::container::small_vector<Node*, 4> nodes_;
  boost::container::small_vector<Item, 4> items_;
  Choice choice_;
  Origins origins_;
  Borrowed borrowed_;
};

}  // namespace

Unpacked unpack_graph(Reader& packet, std::uint32_t from, GlobalAddressTable& addresses,
                      const fabric::Memory& memory, Node* into, const Ahead* ahead,
                      fabric::Outbox* outbox, BeingRead* being_read) {
  const bool awaited = into != nullptr && lacks_value(into);
  if (awaited) addresses.will_hold_other(into);
  if (awaited && unpack_plain(packet, into)) {
    if (addresses.recovers()) addresses.forget_origins(into);
    Unpacked result;
    result.root = into;
    result.resolved.push_back(into);
    return result;
  }
  return GraphUnpacker(packet.slice(packet.left()), from, addresses, memory, outbox, being_read)
      .unpack(into, ahead);
}

}  // namespace trawl::heap
