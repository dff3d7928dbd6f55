// Global addresses: how a PE names nodes of other PEs, and knows when its own are no longer named.
//
// Weighted reference counting as in GUM: every global address travels with a share of its weight.
// Home keeps a node while weight is out; when a proxy dies its weight goes home in a FREE message.
// For every slot, weight out = the weights of all proxies + what is inside messages.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include <boost/unordered/unordered_flat_map.hpp>

#include "rts/heap/collect.hpp"
#include "rts/heap/lineage.hpp"
#include "rts/heap/weak.hpp"
#include "rts/inline/address.hpp"
#include "rts/inline/bytes.hpp"
#include "rts/inline/code.hpp"
#include "rts/inline/node.hpp"

namespace trawl::heap {

/// The GA tables of one PE. Guarded by its PE's lock.
class GlobalAddressTable {
 public:
  /// `full_weight` is lent with each new reference to a node of ours.
  GlobalAddressTable(std::uint32_t self, std::uint32_t pes, Weight full_weight);
  GlobalAddressTable(const GlobalAddressTable&) = delete;
  GlobalAddressTable& operator=(const GlobalAddressTable&) = delete;

  std::uint32_t self() const noexcept { return self_; }

  /// From now on it is noted what may be needed if a PE dies.
  void expect_deaths() noexcept { recovers_ = true; }
  bool recovers() const noexcept { return recovers_; }
  /// ... and what distributed data were made from: as long as nothing says where there are copies,
  /// one step of a loop of skeletons keeps all before it.
  void expect_loss_of_placed() noexcept { recovers_placed_ = recovers_; }
  bool recovers_placed() const noexcept { return recovers_placed_; }
  /// What so many evaluations would be needed for, to make it again, is fetched; 0: nothing is.
  void fetch_from_depth(std::uint32_t depth) noexcept { deep_ = depth; }
  bool is_deep(std::uint32_t depth) const noexcept { return deep_ != 0 && depth >= deep_; }
  /// Are arguments of such a thunk kept while its value is elsewhere?
  bool guards(const Code& code) const noexcept {
    return recovers_ && (!code.placed || (code.step && recovers_placed_));
  }
  void note_dead(std::uint32_t pe);
  bool lacks_any() const noexcept { return !dead_.empty(); }
  bool is_dead(std::uint32_t pe) const noexcept { return !dead_.empty() && dead_[pe]; }
  /// It is going to be: names of what is there are given to nobody, and remembered. This PE may
  /// leave, too.
  void note_leaving(std::uint32_t pe);
  bool leaves(std::uint32_t pe) const noexcept { return !leaving_.empty() && leaving_[pe]; }

  /// Throws BadBytes if there is no such PE.
  void check(std::uint32_t pe) const {
    if (pe >= pes_) throw BadBytes("it names a PE that does not exist");
  }

  // ---- our own nodes, known to others

  /// The node that we gave this slot; nullptr if all its weight has come back.
  Node* own(std::uint64_t slot) const;
  /// Names a node of ours for the outside, with a full weight.
  Reference lend(Node* node);
  /// The same for a thunk that goes to `pe` itself.
  Reference lend_to(Node* thunk, std::uint32_t pe);
  /// To whom a thunk of ours was sent, and whether as a spark.
  struct Holder {
    std::uint32_t pe = Witness::nobody;
    bool spark = false;
  };
  Holder holder(Node* thunk) const;
  void set_holder(Node* thunk, const Holder& holder);
  /// ... as a spark, whose value comes home.
  void note_spark(Node* thunk);
  /// The thunk in a slot goes to the same PE as a spark of ours that leads to it. (Where deaths are
  /// survived, who sent the spark may have to begin it again, and nothing is noted.)
  void note_with(std::uint64_t slot, std::uint64_t spark);
  /// The slot of that spark, once, when the thunk has arrived; 0: there was none.
  std::uint64_t take_with(std::uint64_t slot);
  /// The same for a thunk that has come from another PE, by whose name it may still be referred to:
  /// until its sender has been told of the new one.
  Reference lend_imported(Node* node, const Address& was);
  /// Our node that had this name on another PE, if that is known.
  Node* imported(const Address& was) const;
  /// The other way round; nothing: it is one of this PE's own, or nobody knows it any more.
  std::optional<Address> came_as(Node* node) const;
  /// Weight has come home. Throws BadBytes when more comes back than is out.
  void give_back(std::uint64_t slot, Weight weight);

  /// `pe` gets a copy of this value under the name it has here, if it has one; knows one under that
  /// name, as far as we know; has let go of it. Who is asked for a copy that has died is fetched
  /// from again.
  void note_copy(Node* node, std::uint32_t pe);
  bool has_copy(Node* node, std::uint32_t pe) const;
  void drop_copy(std::uint64_t slot, std::uint32_t pe);

  // ---- nodes of others, known to us

  /// Our first proxy for this address, if we have one.
  Node* proxy(const Address& at);
  /// The one with this ticket; the first if there is none.
  Node* proxy(const Address& at, std::uint32_t ticket);
  /// `node` becomes a proxy for a reference that has arrived, or gets more weight if it is one.
  /// There can be several for one address: thunks that left this PE in different ways and met
  /// elsewhere.
  void adopt(Node* node, const Reference& reference) { adopt(node, reference, new_ticket()); }
  void adopt(Node* node, const Reference& reference, std::uint32_t ticket);
  /// For a proxy that is still to be made.
  std::uint32_t new_ticket() noexcept { return next_ticket_++; }
  /// The thunk has gone there, even if it came from there.
  void has_gone(Node* thunk, const Reference& to);
  /// `node` is no longer a proxy: it has become the thunk itself.
  void forget(Node* node);
  /// Lets go of the proxies adopted since the last call, which until now were kept alive, and
  /// forgets those that the collector has taken. What is needed shortly never burdens it. Has there
  /// been a collection since?
  bool sweep();
  /// What a proxy stands for; the ticket tells it from others for the same address.
  struct Target {
    Address at;
    std::uint32_t ticket;
    bool gone;  ///< nobody is asked for it there: its PE is dead, or `give_up` was called
  };
  std::optional<Target> target(Node* node) const;
  /// From now on it is noted which proxies stand for large values. `begun` is called whenever one
  /// is known, and there was none before.
  void heed_large(std::function<void()> begun) { large_known_ = std::move(begun); }
  /// This node does, if it is a proxy. False: it is not, or nobody heeds that.
  bool note_large(Node* node);
  /// On which PE the large value is that a proxy stands for.
  std::optional<std::uint32_t> large_at(Node* node) const;
  /// The node that this proxy stands for has its value where the reference to it came from.
  void note_evaluated(Node* proxy);
  bool known_evaluated(Node* proxy) const;
  /// Is any large one known? To be asked without the lock, too.
  bool knows_large() const noexcept { return large_.load() != 0; }
  /// Of a proxy; nullptr: nothing is known, or it is none.
  Witness* witness(Node* node) const;
  Witness& make_witness(Node* proxy);
  /// This proxy holds nothing but, from now on, its witness: see "What proxies come from" in
  /// README.md.
  void let_hold_witness(Node* proxy) noexcept;
  /// It is to get a value or arguments, if it is a proxy.
  void will_hold_other(Node* proxy) noexcept;
  /// Its value is here, and comes from nowhere; what of it is elsewhere knows by itself from what
  /// it can be made again. How deep that is stays known.
  void forget_lineage(Node* value) noexcept;
  /// Values that are here, but not all below them, as far as is known.
  std::vector<Node*> values_with_depth() const;
  /// It is not to be made again: it is here, with all below it, or there is no room.
  void forget_origins(Node* node) noexcept;
  /// That of its lineage, or what that was; 0 if there was none.
  std::uint32_t depth_of(Node* node) const;

  // ---- when a PE has died

  /// A thunk that was sent away, and may be evaluated here.
  struct Sent {
    Node* thunk;
    bool spark;
    bool acknowledged;
  };
  /// Those that are, as far as is known, on that PE.
  std::vector<Sent> sent_to(std::uint32_t pe) const;
  /// Does any of those lack its value, or is any proxy fetched, that is on a PE, or on any?
  bool expects(std::optional<std::uint32_t> from) const;
  /// Proxies for which a FETCH is under way; is one for this node?
  std::vector<Node*> fetched() const;
  bool is_fetched(Node* node) const;
  /// What lives on that PE and has no value here. For what has one, or is dead, its name is given
  /// back.
  std::vector<Node*> known_at(std::uint32_t pe);
  /// It stays a proxy for what lives there, and keeps nothing alive there.
  void give_up(Node* proxy);
  /// Nodes that lack their value and are being made again.
  std::vector<Node*> being_remade() const;
  /// The node of ours that had this name on a PE that has died: others, to whom we gave it, may ask
  /// for it. It was taken back, or has come here before, or has gone elsewhere since.
  Node* formerly(const Address& at) const;
  bool is_spark(Node* thunk) const;
  /// Slots to which a dead PE may have referred: some weight of theirs never comes back by itself.
  std::size_t leaked_slots() const noexcept { return uncounted_ ? slots() : 0; }
  /// ... of no slot of this PE any more (rts/recover/census.hpp).
  void note_all_counted() noexcept { uncounted_ = false; }
  /// From now on `into` gets all references that messages bring; nullptr: nobody does. What was
  /// told before.
  std::vector<Reference>* note_arrivals(std::vector<Reference>* into) noexcept {
    return std::exchange(arrivals_, into);
  }
  void note_arrival(const Reference& reference) {
    if (arrivals_ != nullptr && reference.weight != 0) [[unlikely]]
      arrivals_->push_back(reference);
  }

  /// A reference to hand out for any node: half of a proxy's weight, or, when that has run out or
  /// the node is ours, a slot of our own.
  Reference share(Node* node);
  /// What `lend` or `share` has given out for this node comes back unused.
  void take_back(Node* node, const Reference& reference) noexcept;
  /// The address by which others may know this node, if there is one.
  std::optional<Address> name(Node* node) const;

  /// A reference that nobody needs any more.
  void send_home(const Reference& reference) {
    if (reference.weight == 0 || is_dead(reference.at.pe)) return;
    frees_[reference.at.pe].emplace_back(reference.at.slot, reference.weight);
  }

  /// Weights of dead proxies and the like, by home PE: for one FREE message each.
  using Frees = std::map<std::uint32_t, std::vector<std::pair<std::uint64_t, Weight>>>;
  Frees take_frees();
  bool has_frees() const noexcept { return !frees_.empty(); }

  // ---- for a census (rts/recover)

  /// Calls `each(slot, weight)` for our slots, with what is out.
  template <class F>
  void for_each_out(F each) const {
    for (const auto& [slot, entry] : own_) each(slot, entry.out);
  }
  /// Calls `each(reference)` for all weight that we hold of other PEs' slots, what waits in
  /// take_frees included; for an address there can be several.
  template <class F>
  void for_each_held(F each) const {
    for (const auto& [node, proxy] : proxy_of_)
      if (proxy->weight != 0) each(Reference{proxy->at, proxy->weight});
    for (const auto& [pe, list] : frees_)
      for (const auto& [slot, weight] : list) each(Reference{{pe, 0, slot}, weight});
  }

  // ---- for statistics and tests
  std::size_t slots() const noexcept { return own_.size(); }
  /// Slots that nobody knows any more, so far.
  std::uint64_t returned() const noexcept { return returned_; }
  std::size_t proxies() const noexcept { return proxy_of_.size(); }
  std::map<std::uint64_t, Weight> weights_out() const;
  std::map<std::pair<std::uint32_t, std::uint64_t>, Weight> weights_held() const;

 private:
  struct Slot {
    Node* node;
    Weight out;
    std::uint64_t copies = 0;  // a bit for all PEs with the same last six
    // Where it has come from, or slot 0; what an empty optional leaves unwritten would be scanned.
    Address was{};
    std::uint32_t holder = Witness::nobody;  // to whom its thunk was sent
    bool spark = false;                      // ... as a spark
    std::uint64_t with = 0;                  // ... together with the spark in that slot
  };
  struct Proxy {
    Proxy(Node* its_node, const Reference& reference, std::uint32_t its_ticket)
        : key(its_node),
          node(its_node),
          at(reference.at),
          weight(reference.weight),
          ticket(its_ticket) {}

    /// As nodes are: it is the quickest way, and proxies that are done with hasten a collection.
    static void* operator new(std::size_t size) { return allocate(size); }
    static void operator delete(void*) noexcept {}

    Hidden key;  // outlasts the node
    Weak node;
    Address at;
    Weight weight;
    std::uint32_t ticket;
    bool large = false;
    bool evaluated = false;  // as far as is known
    Proxy* next = nullptr;   // for the same address
    Witness* kept_witness = nullptr;
    Hidden held_witness{nullptr};  // by the node, if none is kept

    Witness* witness() const noexcept {
      return kept_witness != nullptr ? kept_witness : static_cast<Witness*>(held_witness.reveal());
    }
    bool elsewhere() const noexcept { return witness() == nullptr || !witness()->here; }
  };

  static std::uint64_t bit_of(std::uint32_t pe) noexcept { return std::uint64_t{1} << (pe % 64); }
  static bool is_named(Node* node) noexcept {
    return (node->word.load(std::memory_order_relaxed) & Node::named) != 0;
  }
  Proxy* find(Node* node) const;
  bool is_fetched(const Proxy& proxy) const;
  void drop(Proxy& proxy);
  void note_former(const Address& was, Node* node) noexcept;
  bool remembers_names_of(std::uint32_t pe) const noexcept { return is_dead(pe) || leaves(pe); }
  bool lives_at(const Proxy& proxy, std::uint32_t pe) const noexcept {
    return proxy.elsewhere() && proxy.at.pe == pe;
  }

  std::uint32_t self_;
  std::uint32_t pes_;
  bool recovers_ = false;
  bool recovers_placed_ = false;
  std::uint32_t deep_ = 0;
  std::function<void()> large_known_;    // none: nobody heeds that
  std::atomic<std::uint32_t> large_{0};  // proxies
  std::vector<bool> dead_;               // by PE, once there is one
  std::vector<bool> leaving_;            // the same
  bool uncounted_ = false;               // what the last of them had
  std::vector<Reference>* arrivals_ = nullptr;
  std::uint32_t next_ticket_ = 0;
  std::uint64_t returned_ = 0;
  Weight full_weight_;
  std::uint64_t next_slot_ = 1;
  // What is erased from a table stays in its memory, which the collector scans: nodes are hidden
  // there, or taken out first.
  boost::unordered_flat_map<std::uint64_t, Slot> own_;
  boost::unordered_flat_map<Hidden, std::uint64_t> slot_of_;
  boost::unordered_flat_map<Address, std::uint64_t> slot_of_imported_;
  boost::unordered_flat_map<Address, Proxy*> proxies_;  // the first for each address
  // A dead node's entry may be found by the address of another that has got its memory.
  boost::unordered_flat_map<Hidden, std::unique_ptr<Proxy>> proxy_of_;
  boost::unordered_flat_map<Address, std::unique_ptr<Weak>> former_;  // names on dead PEs
  std::vector<Node*> young_;       // adopted since the last sweep
  std::uint64_t collections_ = 0;  // until the last sweep
  Frees frees_;
};

}  // namespace trawl::heap
