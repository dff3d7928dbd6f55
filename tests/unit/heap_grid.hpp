// The shared heap of a few PEs without the PEs: for tests that play network, worker and program.
#pragma once

#include <functional>
#include <memory>
#include <random>
#include <utility>
#include <vector>

#include <trawl/lazy.hpp>
#include <unistd.h>

#include "rts/balance/links.hpp"
#include "rts/heap/code.hpp"
#include "rts/heap/pack.hpp"
#include "rts/heap/shared_heap.hpp"

namespace trawl::test {

/// Packs what `lazy` refers to at one PE, unpacks it at another.
template <class T>
Lazy<T> carry(Lazy<T> lazy, heap::GlobalAddressTable& from, heap::GlobalAddressTable& to,
              const heap::PackLimits& limits = {}) {
  heap::CodeTable::get();
  Writer packet;
  heap::pack_graph(packet, lazy.node(), from, limits, {to.self()});
  Reader reader(packet.view());
  return Lazy<T>::refer_to(heap::unpack_graph(reader, from.self(), to, {}, nullptr).root);
}

/// Evaluates a thunk as a worker would; what it calls may not force anything.
inline void evaluate(heap::Node* node, heap::SharedHeap* shared_heap = nullptr) {
  if (!node->move(heap::State::unevaluated, heap::State::black_hole)) return;
  node->unmark(heap::Node::waited);
  node->code().evaluate(node);
  if (shared_heap != nullptr) shared_heap->release(node);
}

/// Some PEs' shared heaps, in one process, so each can read the others' memory, and every message
/// between them that has not arrived: they arrive in any order.
class HeapGrid {
 public:
  struct Letter {
    int from;
    int to;
    Bytes bytes;
  };

  HeapGrid(int pes, heap::Weight full_weight, const heap::PackLimits& limits, std::uint64_t seed)
      : HeapGrid(full_weight, limits, seed,
                 std::vector(static_cast<std::size_t>(pes),
                             fabric::Memory(std::vector(static_cast<std::size_t>(pes), getpid()))),
                 false) {}

  /// So many PEs as there are views of the others' memory. `recovers`: deaths are survived.
  HeapGrid(heap::Weight full_weight, const heap::PackLimits& limits, std::uint64_t seed,
           const std::vector<fabric::Memory>& memory, bool recovers)
      : random_(seed) {
    heap::CodeTable::get();  // numbers the codes, as a PE does when it starts
    for (std::size_t pe = 0; pe < memory.size(); ++pe)
      seats_.push_back(std::make_unique<Seat>(*this, static_cast<int>(pe), memory, full_weight,
                                              limits, recovers));
    if (recovers)
      for (auto& each : seats_) set_recovery(*each);
  }

  heap::SharedHeap& operator[](int pe) { return seat(pe).shared_heap; }
  int size() const { return static_cast<int>(seats_.size()); }
  std::uint64_t random() { return random_(); }
  int random(std::size_t below) { return static_cast<int>(random_() % below); }
  const std::vector<Letter>& under_way() const { return letters_; }
  std::size_t delivered() const { return delivered_; }
  std::uint64_t count(int pe, Count what) { return seat(pe).counters[what]; }

  Nanos time = 0;
  Nanos one_way = 0;                             ///< what a message takes
  std::vector<std::uint32_t> clusters;           ///< by PE; empty: there is one
  std::vector<std::vector<std::int64_t>> links;  ///< bytes a second between clusters; 0: unknown

  /// What else happens at a PE while it reads a long value.
  std::function<void(int pe)> meanwhile{};
  /// ... or before it reads a long packet.
  std::function<void(int pe)> before{};
  /// Sparks, and thunks that are granted to it.
  const std::vector<heap::Node*>& todo(int pe) { return seat(pe).todo; }

  bool reads(int pe) const { return seats_[static_cast<std::size_t>(pe)]->outside; }

  void demand(int pe, heap::Node* node) {
    Seat& at = seat(pe);
    if (node->finished()) return;
    if (node->state() == heap::State::unevaluated) return evaluate(node, &at.shared_heap);
    if (at.shared_heap.wait({&node, 1}, at)) ++at.asleep;
  }

  /// One message that is under way arrives; false: there is none.
  bool deliver() {
    if (letters_.empty()) return false;
    deliver(static_cast<std::size_t>(random(letters_.size())));
    return true;
  }

  /// What this PE has sent, and what is under way to it, does not arrive.
  void lose(int pe) {
    std::erase_if(letters_, [pe](const Letter& each) { return each.from == pe || each.to == pe; });
  }

  void deliver(std::size_t which) {
    ++delivered_;
    time += one_way;
    const Letter letter = std::move(letters_[which]);
    letters_.erase(letters_.begin() + static_cast<std::ptrdiff_t>(which));
    const auto& row = fabric::row_of(letter.bytes);
    Reader reader(std::span(letter.bytes).subspan(1));
    const fabric::Envelope envelope{letter.from, letter.to, size()};
    auto& shared_heap = seat(letter.to).shared_heap;
    switch (row.kind) {
      case fabric::Kind::schedule: {
        const auto schedule = heap::Schedule::read(reader, envelope);
        return shared_heap.on_schedule(schedule, reader, letter.from);
      }
      case fabric::Kind::fetch:
        return shared_heap.on_fetch(heap::Fetch::read(reader, envelope), letter.from);
      case fabric::Kind::relay:
        return shared_heap.on_relay(heap::Relay::read(reader, envelope));
      case fabric::Kind::resume: {
        const auto resume = heap::Resume::read(reader, envelope);
        return shared_heap.on_resume(resume, reader, letter.from);
      }
      case fabric::Kind::ack:
        return shared_heap.on_ack(heap::Ack::read(reader, envelope));
      case fabric::Kind::free:
        return shared_heap.on_free(heap::Free::read(reader, envelope), letter.from);
      default:
        throw BadBytes("not the heap's");
    }
  }

  /// Evaluates a spark, or a thunk that somebody was woken to evaluate; nullptr: there is none.
  heap::Node* work(int pe) {
    Seat& at = seat(pe);
    if (at.todo.empty()) return nullptr;
    heap::Node* node = at.todo.back();
    at.todo.pop_back();
    if (node->state() == heap::State::black_hole)  // granted
      node->settle(heap::State::black_hole, heap::State::unevaluated);
    evaluate(node, &at.shared_heap);
    return node;
  }

  /// Until nothing is under way and nobody has anything to do.
  void settle() {
    for (bool busy = true; busy;) {
      busy = deliver();
      for (int pe = 0; pe < size(); ++pe) busy = work(pe) != nullptr || busy;
    }
  }

  void send_frees() {
    for (auto& each : seats_) each->shared_heap.send_frees();
  }

  /// Threads that wait.
  int asleep() const {
    int sum = 0;
    for (const auto& each : seats_) sum += each->asleep;
    return sum;
  }

  std::size_t blocking_queues() const {
    std::size_t sum = 0;
    for (const auto& each : seats_) sum += each->shared_heap.blocking_queues();
    return sum;
  }

  using Weights = std::map<std::pair<std::uint32_t, std::uint64_t>, heap::Weight>;
  Weights weights_out() const {
    Weights sum;
    for (const auto& each : seats_)
      for (const auto& [slot, weight] : each->shared_heap.addresses().weights_out())
        sum[{each->shared_heap.addresses().self(), slot}] += weight;
    return sum;
  }
  Weights weights_held() const {
    Weights sum;
    for (const auto& each : seats_)
      for (const auto& [at, weight] : each->shared_heap.weights_held()) sum[at] += weight;
    return sum;
  }

 private:
  struct Seat final : fabric::Outbox, heap::Waiter {
    Seat(HeapGrid& its_grid, int its_pe, const std::vector<fabric::Memory>& memories,
         heap::Weight full_weight, const heap::PackLimits& limits, bool recovers)
        : grid(its_grid),
          pe(its_pe),
          memory(memories[static_cast<std::size_t>(pe)]),
          shared_heap(
              static_cast<std::uint32_t>(pe), static_cast<std::uint32_t>(memories.size()),
              full_weight, limits, memory, *this, counters,
              [this](heap::Node* spark) { todo.push_back(spark); }, recovers) {}

    Writer open(fabric::Kind kind, int) override {
      Writer message;
      message.put(kind);
      return message;
    }
    void send(int to, Writer message) override {
      grid.letters_.push_back({pe, to, message.take()});
    }
    void step_out() override {
      outside = true;
      if (grid.before) grid.before(pe);
    }
    void look_around() override {
      if (grid.meanwhile) grid.meanwhile(pe);
    }
    void step_in() noexcept override { outside = false; }
    Nanos now() const override { return grid.time; }
    Nanos round_trip(int) const override { return 2 * grid.one_way; }
    Nanos carrying(int from, int to, std::size_t bytes) const override {
      if (grid.links.empty() || cluster_of(from) == cluster_of(to)) return 0;
      const auto rate = grid.links[cluster_of(from)][cluster_of(to)];
      return balance::Bandwidth{rate, rate == 0 ? -1 : 0}.carrying(bytes);
    }
    std::uint32_t cluster_of(int of) const override {
      return grid.clusters.empty() ? 0 : grid.clusters[static_cast<std::size_t>(of)];
    }
    void wake(heap::Node* node, bool granted) override {
      --asleep;
      if (granted) todo.push_back(node);
    }

    HeapGrid& grid;
    int pe;
    fabric::Memory memory;
    Counters counters;
    int asleep = 0;
    bool outside = false;
    std::vector<heap::Node*> todo;
    heap::SharedHeap shared_heap;
  };

  Seat& seat(int pe) { return *seats_[static_cast<std::size_t>(pe)]; }

  static void set_recovery(Seat& seat) {
    const auto evaluate = [&seat](heap::Node* thunk) { seat.todo.push_back(thunk); };
    seat.shared_heap.set_recovery({.evaluate_here = evaluate,
                                   .remake = [](heap::Node*) {},
                                   .evaluate_twin = [](heap::Node*, heap::Node*) {},
                                   .add_backup = evaluate});
  }

  std::mt19937_64 random_;
  std::vector<Letter> letters_;
  std::size_t delivered_ = 0;
  std::vector<std::unique_ptr<Seat>> seats_;
};

}  // namespace trawl::test
