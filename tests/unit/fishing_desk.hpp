// One PE's fishing by itself: the test plays the other PEs and the network.
#pragma once

#include <deque>
#include <vector>

#include <gtest/gtest.h>
#include <trawl/lazy.hpp>

#include "rts/heap/code.hpp"
#include "rts/sched/fishing.hpp"
#include "tests/unit/balance_inputs.hpp"
#include "tests/unit/still_host.hpp"

namespace trawl::test {

using fabric::Kind;

inline constexpr int pes = 30;
inline constexpr Nanos patience = 1000;

inline long number(long n) {
  return n;
}

/// PE 0 of thirty, or more, with one worker, who is idle: for him it keeps a spark. Or with
/// several.
class Desk final : public StillHost, public fabric::Outbox {
 public:
  struct Letter {
    Kind kind;
    int to;
    friend bool operator==(const Letter&, const Letter&) = default;
  };

  explicit Desk(const Options& options = {}, int workers = 1, int size = pes)
      : options_(options),
        size_(size),
        workers_({.options = options_, .workers = workers}, *this, fabric_, state_) {
    heap::CodeTable::get();
  }

  void make_spare_sparks(int n) {
    for (int i = n + 1 - static_cast<int>(workers_.load().sparks); i > 0; --i)
      workers_[0].pool.push(wanted_.emplace_back(lazy<number>(1L)).node());
  }
  void take_sparks() {
    while (workers_[0].pool.take_oldest(true) != nullptr) {
    }
  }
  bool watching() const { return workers_.watching_for_sparks(); }
  std::uint64_t count(Count what) const { return counters_[what]; }

  /// A FISH arrives that has been everywhere.
  void fish_from(int thief, Nanos now) {
    std::vector<int> others;
    for (int pe = 1; pe < pes; ++pe)
      if (pe != thief) others.push_back(pe);
    fish_from(thief, now, others);
  }
  void fish_from(int thief, Nanos now, const std::vector<int>& visited) {
    balance::Fish fish;
    fish.thief = thief;
    fish.number = 1;
    fish.patience = patience;
    for (const int pe : visited) fish.visit(pe);
    fishing.on_fish(fish, &workers_[0], now);
  }
  void serve(Nanos now) { fishing.serve(&workers_[0], now); }

  /// How many FISH are sent when it may send as many as it wants.
  std::size_t fish() {
    for (int i = 0; i < 100; ++i) fishing.consider(0);
    return sent().size();
  }
  /// How long the next FISH may be held, when the last has come home empty.
  Nanos next_patience() {
    fishing.consider(0);
    return fish_comes_home();
  }
  /// The oldest that is under way; gives its patience.
  Nanos fish_comes_home(Nanos now = 0) {
    const auto fish = take_fish();
    fishing.on_fish(fish, &workers_[0], now);
    return fish.patience;
  }
  void fish_is_answered(Nanos now = 0) { fishing.caught(take_fish().number, now); }
  std::uint16_t number_under_way() const { return under_way_.front().number; }
  /// How many sparks the next FISH wants, with none under way.
  unsigned wants() {
    fishing.consider(0);
    const auto fish = take_fish();
    fishing.caught(fish.number, 0);
    return fish.wants;
  }
  /// For how long it has found nothing, as the next FISH says.
  Nanos next_hunger(Nanos now) {
    serve(now);
    fishing.consider(now);
    return under_way_.back().hungry;
  }
  /// How many FISH are sent at that time.
  std::size_t fish_at(Nanos now) {
    serve(now);
    fishing.consider(now);
    return sent().size();
  }
  /// It has as many live threads as may be.
  void reach_thread_limit() {
    while (workers_.may_start_thread()) workers_.add_live(1);
  }

  /// The worker goes into a thread: does it notify a progress thread that is parked until then?
  bool notifies_progress_thread(Nanos that_wakes_at) {
    auto& worker = workers_[0];
    worker.attach(std::make_unique<sched::Fiber>());
    state_.progress_thread_wakes = that_wakes_at;
    const auto epoch = fabric_.events().epoch();
    worker.start_root([] {});
    worker.step();
    sched::set_this_worker(nullptr);
    return fabric_.events().epoch() != epoch;
  }

  /// Sparks from elsewhere that somebody has begun to evaluate.
  void import_fizzled(int n) {
    for (; n > 0; --n) {
      heap::Node* node = lazy<number>(1L).node();
      node->move(heap::State::unevaluated, heap::State::black_hole);
      workers_.add_imported(node);
    }
  }

  /// A spark that another PE has, too, and is slow with.
  void import_copy() { workers_.add_backup(wanted_.emplace_back(lazy<number>(1L)).node()); }

  std::vector<Letter> sent() { return std::exchange(sent_, {}); }

  Writer open(Kind kind, int) override {
    Writer message;
    message.put(kind);
    return message;
  }
  void send(int to, Writer message) override {
    sent_.push_back({static_cast<Kind>(message.view()[0]), to});
    if (sent_.back().kind != Kind::fish) return;
    Reader reader(message.view());
    reader.get<std::uint8_t>();  // its kind
    if (const auto fish = balance::Fish::read(reader, {0, 1, size_}); fish.thief == 0)
      under_way_.push_back(fish);
  }

  heap::SharedHeap& shared_heap() noexcept override { return shared_heap_; }
  Nanos due() const noexcept { return state_.due; }

 private:
  balance::Fish take_fish() {
    const auto fish = under_way_.front();
    under_way_.pop_front();
    return fish;
  }

  Options options_;
  int size_;
  Counters counters_;
  std::vector<Lazy<long>> wanted_;  // else a collection forgets their sparks
  std::vector<Letter> sent_;
  std::deque<balance::Fish> under_way_;
  fabric::Memory memory_;
  heap::SharedHeap shared_heap_{
      0, static_cast<std::uint32_t>(size_), 16, {}, memory_, *this, counters_, [](heap::Node*) {}};
  StillFabric fabric_;
  progress::State state_;
  sched::Workers workers_;

 public:
  balance::Tables tables{0, size_};
  sched::Fishing fishing{options_, 1, tables, workers_, *this, counters_};
};

using Letters = std::vector<Desk::Letter>;

}  // namespace trawl::test
