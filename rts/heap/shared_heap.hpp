// One PE's part in the shared heap: blocking queues, and what is done for messages that move nodes
// (messages.hpp).
//
// SCHEDULE  a spark moves; it stays exported here until RESUME brings its result, unasked
// FETCH     a proxy is needed; answered by RESUME with the value, or with the thunk itself, which
//           moves to where it is needed; what can't be answered yet waits in the blocking queue
// RELAY     a FETCH from another cluster, to one there, or nearer, who has got it (relays.hpp)
// RESUME    a value, an exception or a thunk for a node that waits for it
// ACK       the thunks that moved inside a packet have new addresses: the old nodes become proxies
// FREE      weights of dead proxies
// README.md follows a thunk through all of this.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include <boost/container/small_vector.hpp>
#include <boost/unordered/unordered_flat_map.hpp>

#include "rts/fabric/memory.hpp"
#include "rts/fabric/message.hpp"
#include "rts/heap/global_address_table.hpp"
#include "rts/heap/messages.hpp"
#include "rts/heap/pack.hpp"
#include "rts/heap/recipes.hpp"
#include "rts/heap/relays.hpp"
#include "rts/trace/stats.hpp"

namespace trawl::heap {

class Along;
struct Askers;

/// Whoever sleeps until a node has finished.
class Waiter {
 public:
  /// `granted`: the node came as a thunk, is a black hole now, and is the waiter's to evaluate.
  virtual void wake(Node* node, bool granted) = 0;

 protected:
  ~Waiter() = default;
};

/// Guarded by its PE's lock, like everything that it refers to.
class SharedHeap {
 public:
  /// `add_spark` is told of thunks that another PE waits for and nobody here evaluates.
  SharedHeap(std::uint32_t self, std::uint32_t pes, Weight full_weight, const PackLimits& limits,
             const fabric::Memory& memory, fabric::Outbox& outbox, Counters& counters,
             std::function<void(Node*)> add_spark, bool recovers = false);
  ~SharedHeap();

  SharedHeap(const SharedHeap&) = delete;
  SharedHeap& operator=(const SharedHeap&) = delete;

  /// Puts a waiter into the nodes' blocking queues, and sends FETCHes where they are due. False
  /// when there is nothing to wait for: one has finished, or can be evaluated here.
  bool wait(std::span<Node* const> nodes, Waiter& waiter);
  /// Takes it out of those where it still is.
  void leave(std::span<Node* const> nodes, const Waiter& waiter);

  /// Sends the FETCH that the first `wait` would send, if none is under way.
  void fetch_early(Node* node);

  /// The node has finished: serves its blocking queue.
  void release(Node* node);

  /// Sends an unevaluated thunk away as a spark; false if it is not unevaluated (any more).
  bool export_spark(Node* thunk, int to, const Schedule& schedule = {});

  /// The PE that has the large values which an unevaluated thunk needs; nothing: nobody has more
  /// of them than this one. Asked where the addresses know of large values.
  std::optional<std::uint32_t> place_of_data(Node* thunk);

  /// Sends a spark that was sent away before to a second PE; false if its value has come, or is
  /// being read.
  bool export_again(Node* thunk, int to, std::uint16_t fish);
  /// Has it evaluated here, too.
  bool evaluate_again(Node* thunk);
  /// `twin`, which has its value or exception, is what evaluate_again had evaluated.
  void evaluated_again(Node* thunk, Node* twin);

  /// A message has come, with what is behind it if it has a packet. They throw BadBytes when it
  /// doesn't fit what is here.
  void on_schedule(const Schedule& message, Reader& packet, int from);
  void on_fetch(const Fetch& message, int from);
  void on_relay(const Relay& message);
  void on_resume(const Resume& message, Reader& packet, int from);
  /// What a RESUME that has come was asked for by; nullptr: it is gone.
  const Code* asked_for(const Resume& message);
  void on_ack(const Ack& message);
  void on_free(const Free& message, int from);

  /// Sends the weights of proxies that have died.
  void send_frees();
  /// Others are short of memory: sparks that were sent away let go of arguments that lead to what
  /// has gone with them (README.md, What a spark was sent with).
  void drop_arguments_of_sent_sparks();

  // ---- where deaths are survived (rts/recover/README.md)

  /// What is done where threads are known.
  struct Recovery {
    /// Evaluates a thunk here and nowhere else.
    std::function<void(Node*)> evaluate_here;
    /// Has a node made again by what it came from, which calls `remade` at last.
    std::function<void(Node*)> remake;
    /// Evaluates a twin of a thunk, and then calls `evaluated_again`.
    std::function<void(Node*, Node*)> evaluate_twin;
    /// Has a spark evaluated that another PE has, too.
    std::function<void(Node*)> add_backup;
    /// Is there room for values that nobody here waits for?
    std::function<bool()> has_room = [] { return true; };
  };
  void set_recovery(Recovery recovery) { recovery_ = std::move(recovery); }

  /// Of values of others that are here, with all that they refer to. To be called now and then.
  void forget_what_made_those_here();

  /// A PE is dead: what it had is evaluated again where it can be, and asked for elsewhere.
  void dead(std::uint32_t pe);
  /// Nobody has this weight of a slot of ours any more.
  void write_off(std::uint64_t slot, Weight weight);

  // ---- where a PE leaves (rts/life/README.md, Leaving)

  /// An unevaluated thunk that another PE has sent here as a spark goes back there. False: none
  /// has, or it can't.
  bool hand_back(Node* thunk);
  /// Is something expected from a PE, or from any: the value of a spark, the answer to a FETCH?
  bool expects(std::optional<std::uint32_t> from) const;
  /// The name that it has where its value goes, if it has come as a spark.
  std::optional<Address> owed_to(Node* thunk) const;

  /// Is it known what this node, under evaluation here, came from? Then it is waited for, as if it
  /// were elsewhere.
  bool begin_to_remake(Node* node);
  /// From where to begin, and which way to go.
  std::optional<Route> route(Node* node);
  /// A node that was lost has been found again: `as` has its value or exception; nullptr: it can't
  /// be.
  void remade(Node* node, Node* as);
  /// Nobody on this PE can go on: what is being made again may wait for itself, and is tried in
  /// another way; where there is none, it is lost, if nobody can go on anywhere (`give_up`).
  void remake_otherwise(bool give_up);

  /// If `node` is lost with a PE, `source`, a thunk, makes it again (nullptr: nothing does); what
  /// it came from is no longer kept for that. False, and nothing has changed: it has no value yet,
  /// as far as is known here.
  bool also_from(Node* node, Node* source);
  /// What makes again what this PE has placed.
  Recipes& recipes() noexcept { return recipes_; }

  /// Is a packet just bringing its value, outside the lock? Then nothing of what it was may be
  /// looked at, nor may it get a value otherwise.
  bool is_being_read(Node* node) const noexcept {
    return !being_read_.empty() && being_read_.contains(node);
  }

  /// How often each case of recovery has happened: tests see to it that each does.
  struct Cases {
    std::uint64_t exported = 0;     ///< a spark that was sent away is evaluated again
    std::uint64_t moved = 0;        ///< a thunk that had moved is
    std::uint64_t by_value = 0;     ///< made again: a part of a value
    std::uint64_t by_copy = 0;      ///< ... distributed data, from their copy
    std::uint64_t by_recipe = 0;    ///< ... and from what they were made from
    std::uint64_t by_argument = 0;  ///< ... and of a thunk's arguments
    std::uint64_t by_thunk = 0;     ///< made again: a thunk that had come, and needed what is lost
    std::uint64_t otherwise = 0;    ///< ... in another way, as the first led nowhere
    std::uint64_t giver = 0;        ///< asked for what it had a reference to
    std::uint64_t lost = 0;         ///< told others that a value is lost, or was told
    std::uint64_t reverted = 0;   ///< evaluates what somebody else was to, who needed what is lost
    std::uint64_t fetched = 0;    ///< a FETCH was sent again
    std::uint64_t dropped = 0;    ///< a spark that a dead PE wanted
    std::uint64_t orphaned = 0;   ///< ... that was under evaluation
    std::uint64_t duplicate = 0;  ///< an answer for what had its value
    std::uint64_t forwarded = 0;  ///< a FETCH was sent on
    std::uint64_t relayed = 0;  ///< ... to who has got the value, and is nearer to the one who asks
    std::uint64_t not_there = 0;    ///< ... and came back, as he had it no more
    std::uint64_t handed_back = 0;  ///< a spark came back from who has left
    std::uint64_t formerly = 0;     ///< asked for by the name that it had on a dead PE, and found
  };
  const Cases& cases() const noexcept { return cases_; }

  GlobalAddressTable& addresses() noexcept { return addresses_; }
  const GlobalAddressTable& addresses() const noexcept { return addresses_; }

  /// Calls `each(reference)` for all weight of other PEs' slots that is here: of proxies, and of
  /// debts.
  template <class F>
  void for_each_held(F each) const {
    addresses_.for_each_held(each);
    for (const auto& [key, queue] : queues_)
      for (const auto& remote : queue.remotes)
        if (remote.weight != 0) each(Reference{remote.key, remote.weight});
  }
  /// The same in sum; for tests.
  std::map<std::pair<std::uint32_t, std::uint64_t>, Weight> weights_held() const;

  std::size_t blocking_queues() const noexcept { return queues_.size(); }
  /// Calls `each(node, number of waiters here, PEs that wait for it)`.
  void for_each_queue(
      const std::function<void(Node*, std::size_t, const std::vector<std::uint32_t>&)>& each) const;

 private:
  // Another PE that waits: the value goes there as the node `key`, with the weight of the debt, or
  // for its proxy for `key` with this ticket.
  struct Remote {
    std::uint32_t pe;
    std::uint32_t ticket;
    Address key;
    Weight weight;
  };
  struct Queue {
    Node* node = nullptr;  // kept alive; taken out before a queue is erased
    // Of none of these does the collector need to know; mostly one waits.
    boost::container::small_vector<Waiter*, 1, PlainAllocator<Waiter*>> waiters;
    boost::container::small_vector<Remote, 1, PlainAllocator<Remote>> remotes;
  };

  using Queues = boost::unordered_flat_map<Hidden, Queue>;

  Receiver receiver(std::uint32_t pe) const noexcept;
  void send_spark(Node* thunk, int to, const Schedule& schedule);
  void note_result(const Node* spark, bool leaves_data);
  std::optional<std::uint32_t> will_leave_data_at(Node* node) const;
  bool is_still_away(Node* thunk) const noexcept {
    return thunk->state() == State::exported && !is_being_read(thunk);
  }
  bool may_be_done_again(Node* thunk, std::uint32_t by) const;
  Unpacked read(Reader& packet, int from, Node* into, const Ahead* ahead);
  void has_not_come(const BeingRead& nodes);
  void copy_into(Node* node, Node* as);
  bool enqueue(Node* node, Waiter* waiter, const Remote* remote);
  bool wait(Node* node, Waiter& waiter);
  void erase(Queues::iterator queue);
  void erase_if_empty(Queues::iterator queue);
  void fetch(Node* proxy);
  std::uint32_t fetch_ahead(const Address& at);
  void send_fetch(const Fetch& message);
  void answer(Node* node, const Remote& remote);
  void send_value(Node* node, const Remote& remote);
  bool is_relayed(Node* node, const Remote& remote);
  const Holder* who_passes_on(const Remote& remote) const;
  Nanos passing_on(const Holder& holder, std::uint32_t pe) const;
  bool can_pass_on(const Holder& holder, std::uint32_t pe) const;
  void note_holder(Node* node, const Remote& remote, std::size_t bytes, bool fills);
  bool comes_from_home(Node* proxy, std::uint32_t ticket) const;
  void forget_relayed(std::uint32_t home);
  void send_thunk(Node* node, const Remote& remote);
  void send_resume(Node* node, const Remote& remote, Along* along = nullptr);
  void arrived(Node* thunk);
  void acknowledge(std::span<const Arrived> thunks);
  Node* answered(const Resume& message);
  void resume_waiters(const Unpacked& unpacked);
  void fetch_deep(const Unpacked& unpacked);
  bool is_guarded(Node* node) const;
  void let_go_of_arguments(Node* node, Node* source);
  void note_with(std::uint64_t spark);
  void on_fetch_of_dead(const Fetch& message);
  void send_lost(const Remote& remote);
  void seek(Node* proxy);
  bool can_be_sought(Node* proxy) const;
  void lose(Node* proxy);
  bool remake_otherwise(Node* proxy);
  void on_lost(Node* node);
  void take_back(Node* thunk);
  void revive(Node* thunk, bool spark);
  void forget_requests_of(std::uint32_t pe);
  void drop_import(Node* thunk);
  bool is_with_other_than(Node* spark, int pe) const;
  void on_handed_back(Node* thunk, std::uint64_t slot, Weight weight);
  bool needs_nothing(const Remote& remote, Node* node);
  bool become_twin(Node* node, Node* thunk);
  void has_moved(Node* thunk);

  GlobalAddressTable addresses_;
  PackLimits limits_;
  const fabric::Memory& memory_;
  fabric::Outbox& outbox_;
  Counters& counters_;
  std::function<void(Node*)> add_spark_;
  std::size_t looked_into_ = 0;  // values, see forget_what_made_those_here
  const Ahead fetch_ahead_;      // made once: each RESUME may need it
  Queues queues_;
  std::vector<std::uint64_t> sent_with_others_;  // the slots of such sparks
  std::unique_ptr<Askers> askers_;
  Relays relays_{[this](std::uint64_t slot) { return addresses_.own(slot) != nullptr; }};
  std::vector<bool> leaves_data_;  // by code: results refer to large values where they were made
  Recovery recovery_;
  BeingRead being_read_;
  Cases cases_;
  Recipes recipes_;
};

}  // namespace trawl::heap
