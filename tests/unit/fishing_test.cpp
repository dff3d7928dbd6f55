// One PE's fishing by itself: what it does with the FISH of others. The test plays PE and network.
#include "rts/sched/fishing.hpp"

#include <deque>

#include <gtest/gtest.h>
#include <trawl/lazy.hpp>

#include "rts/heap/code.hpp"
#include "tests/unit/balance_inputs.hpp"
#include "tests/unit/still_host.hpp"

namespace trawl {
namespace {

using fabric::Kind;

constexpr int pes = 30;
constexpr Nanos patience = 1000;

long number(long n) {
  return n;
}

/// PE 0 of thirty, with one worker, who is idle: for him it keeps a spark.
class Desk final : public test::StillHost, public fabric::Outbox {
 public:
  struct Letter {
    Kind kind;
    int to;
    friend bool operator==(const Letter&, const Letter&) = default;
  };

  explicit Desk(const Options& options = {}) : options_(options) { heap::CodeTable::get(); }

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
  /// How many FISH are sent at that time.
  std::size_t fish_at(Nanos now) {
    serve(now);
    fishing.consider(now);
    return sent().size();
  }
  /// It has as many live threads as may be.
  void reach_thread_limit() {
    while (workers_.may_start_thread()) workers_.thread_started();
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
    if (const auto fish = balance::Fish::read(reader, {0, 1, pes}); fish.thief == 0)
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
  Counters counters_;
  std::vector<Lazy<long>> wanted_;  // else a collection forgets their sparks
  std::vector<Letter> sent_;
  std::deque<balance::Fish> under_way_;
  fabric::Memory memory_;
  heap::SharedHeap shared_heap_{0, pes, 16, {}, memory_, *this, counters_, [](heap::Node*) {}};
  test::StillFabric fabric_;
  progress::State state_;
  sched::Workers workers_{{.options = options_}, *this, fabric_, state_};

 public:
  balance::Tables tables{0, pes};
  sched::Fishing fishing{options_, 1, tables, workers_, *this, counters_};
};

using Letters = std::vector<Desk::Letter>;

TEST(Fishing, AFishIsKeptUntilThereIsASpareSpark) {
  Desk desk;
  desk.fish_from(1, 0);
  desk.serve(0);
  desk.make_spare_sparks(0);
  desk.serve(0);
  EXPECT_EQ(desk.sent(), Letters());
  EXPECT_EQ(desk.fishing.held(1), 1U);
  desk.make_spare_sparks(1);
  desk.serve(0);
  EXPECT_EQ(desk.sent(), (Letters{{Kind::schedule, 1}}));
  EXPECT_EQ(desk.fishing.held(1), 0U);
}

TEST(Fishing, AFishGoesHomeWhenItsPatienceEnds) {
  Desk desk;
  desk.fish_from(1, 0);
  desk.fish_from(2, 10);
  desk.serve(patience - 1);
  EXPECT_EQ(desk.sent(), Letters());
  EXPECT_EQ(desk.due(), patience);
  desk.serve(patience);
  EXPECT_EQ(desk.sent(), (Letters{{Kind::fish, 1}}));
  EXPECT_EQ(desk.due(), patience + 10);
}

TEST(Fishing, WhenOneIsFedTheNextIsDueAtItsOwnTime) {
  Desk desk;
  desk.fish_from(1, 0);
  desk.fish_from(2, 10);
  desk.make_spare_sparks(1);
  desk.serve(20);
  EXPECT_EQ(desk.sent(), (Letters{{Kind::schedule, 1}}));
  EXPECT_EQ(desk.due(), patience + 10);
  desk.serve(patience + 9);
  EXPECT_EQ(desk.sent(), Letters());
  desk.serve(patience + 10);
  EXPECT_EQ(desk.sent(), (Letters{{Kind::fish, 2}}));
}

TEST(Fishing, WhoseFishWentHomeIsToldOfSparks) {
  Desk desk;
  desk.fish_from(1, 0);
  desk.fish_from(2, 10);
  desk.serve(patience);
  EXPECT_EQ(desk.sent(), (Letters{{Kind::fish, 1}}));
  desk.serve(patience + 1);
  desk.make_spare_sparks(2);
  desk.fish_from(3, patience + 2);
  EXPECT_EQ(desk.sent(), (Letters{{Kind::schedule, 2}, {Kind::schedule, 3}}));
  desk.make_spare_sparks(3);
  desk.serve(patience + 3);
  EXPECT_EQ(desk.sent(), (Letters{{Kind::work_available, 1}})) << "once, and only PE 1";
  desk.serve(2 * patience);
  EXPECT_EQ(desk.sent(), Letters());
}

// At most every 2 ms.
TEST(Fishing, WhenSparksHaveGoneItWatchesForTheNext) {
  constexpr Nanos between_announcements = 2'000'000;
  Desk desk;
  for (const int thief : {1, 2, 3}) desk.fish_from(thief, 0);
  desk.serve(patience);
  EXPECT_TRUE(desk.watching());
  EXPECT_EQ(desk.sent().size(), 3U);
  EXPECT_EQ(desk.due(), never);
  Nanos now = patience;
  for (const int thief : {3, 2, 1}) {
    desk.make_spare_sparks(1);
    EXPECT_FALSE(desk.watching());
    desk.serve(++now);
    EXPECT_EQ(desk.sent(), (Letters{{Kind::work_available, thief}}));
    desk.take_sparks();
    desk.serve(now + between_announcements - 1);
    EXPECT_FALSE(desk.watching());
    EXPECT_EQ(desk.due(), thief == 1 ? never : now + between_announcements);
    desk.serve(now += between_announcements);
    EXPECT_EQ(desk.watching(), thief != 1) << "the last one has been told";
  }
  EXPECT_EQ(desk.sent(), Letters());
}

TEST(Fishing, SparksThatCameAndWentAreNotAnnounced) {
  Desk desk;
  desk.fish_from(1, 0);
  desk.serve(patience);
  desk.sent();
  desk.make_spare_sparks(1);
  desk.take_sparks();
  desk.serve(patience + 1);
  EXPECT_FALSE(desk.watching()) << "not for each that comes and goes";
  EXPECT_EQ(desk.due(), patience + 1 + 2'000'000);
  desk.make_spare_sparks(1);
  desk.serve(desk.due());
  EXPECT_EQ(desk.sent(), (Letters{{Kind::work_available, 1}}));
}

TEST(Fishing, SixteenAreRemembered) {
  Desk desk;
  for (int thief = 1; thief <= 20; ++thief) desk.fish_from(thief, 0);
  desk.serve(patience);
  EXPECT_EQ(desk.sent().size(), 20U);
  desk.make_spare_sparks(30);
  desk.serve(patience + 1);
  EXPECT_EQ(desk.sent().size(), 16U);
}

TEST(Fishing, AnInvitationIsTakenEvenWithAFishUnderWay) {
  Desk desk;
  EXPECT_EQ(desk.fish(), 1U);
  desk.fishing.on_work_available(2, 0);
  EXPECT_EQ(desk.sent(), (Letters{{Kind::fish, 2}}));
  desk.fishing.on_work_available(3, 0);
  EXPECT_EQ(desk.sent(), Letters()) << "one more, not two";
  desk.fish_comes_home();
  EXPECT_EQ(desk.fish(), 0U) << "the other is still under way";
  desk.fish_comes_home();
  EXPECT_EQ(desk.fish(), 1U);
  desk.make_spare_sparks(1);
  desk.fishing.on_work_available(2, 0);
  EXPECT_EQ(desk.sent(), Letters()) << "it is not hungry";
}

TEST(Fishing, AnInvitationIsNotTakenOverTheLimit) {
  for (const unsigned most : {1U, 3U}) {
    Options options;
    options.max_fish = most;
    Desk desk(options);
    EXPECT_EQ(desk.fish(), most);
    desk.sent();
    desk.fishing.on_work_available(2, 0);
    EXPECT_EQ(desk.sent(), Letters());
    desk.fish_comes_home();
    desk.fishing.on_work_available(6, 0);
    EXPECT_EQ(desk.sent(), (Letters{{Kind::fish, 6}}));
  }
}

TEST(Fishing, AnAnswerToNoFishIsRefused) {
  Desk desk;
  EXPECT_THROW(desk.fishing.caught(1, 0), BadBytes);
  EXPECT_THROW(desk.fish_from(0, 0), BadBytes);
}

TEST(Fishing, OfManySparksSeveralGoAtOnce) {
  Desk desk;
  desk.make_spare_sparks(64);
  desk.fish_from(1, 0);
  EXPECT_EQ(desk.sent(), Letters(3, {Kind::schedule, 1}));
  EXPECT_EQ(desk.count(Count::fish_answered), 1U);
  EXPECT_EQ(desk.count(Count::sparks_exported), 3U);
}

TEST(Fishing, AFishThatHasNotBeenEverywhereGoesOn) {
  Desk desk;
  desk.fish_from(1, 0, {2});
  const auto sent = desk.sent();
  ASSERT_EQ(sent.size(), 1U);
  EXPECT_EQ(sent[0].kind, Kind::fish);
  EXPECT_GT(sent[0].to, 2);
  EXPECT_EQ(desk.fishing.held(1), 0U);
  EXPECT_EQ(desk.count(Count::fish_forwarded), 1U);
  desk.serve(0);
  desk.make_spare_sparks(1);
  desk.serve(0);
  EXPECT_EQ(desk.sent(), (Letters{{Kind::work_available, 1}})) << "it is remembered";
}

TEST(Fishing, WhoeverWasFirstIsFedFirst) {
  Desk desk;
  desk.fish_from(1, 0);
  desk.make_spare_sparks(1);
  desk.fish_from(2, 0);
  EXPECT_EQ(desk.sent(), (Letters{{Kind::schedule, 1}}));
  EXPECT_EQ(desk.fishing.held(2), 1U);
}

// Its PE's threads would not park any more.
TEST(Fishing, NothingIsDueOnceAllAreFed) {
  Desk desk;
  desk.fish_from(1, 0);
  desk.serve(0);
  desk.make_spare_sparks(2);
  desk.fish_from(2, 0);
  EXPECT_EQ(desk.sent().size(), 2U);
  desk.serve(1);
  EXPECT_EQ(desk.due(), never);
  constexpr Nanos later = 3'000'000;
  desk.fish_from(1, later);
  desk.serve(later);
  EXPECT_TRUE(desk.watching()) << "as before";
}

// The thread may run for long, and no message notifies of what is due.
TEST(Fishing, WhoeverGoesIntoAThreadTellsTheProgressThreadOfWhatIsDue) {
  Desk desk;
  desk.serve(0);
  EXPECT_FALSE(desk.notifies_progress_thread(never));
  desk.fish_from(1, 0);
  desk.serve(0);
  ASSERT_EQ(desk.due(), patience);
  EXPECT_TRUE(desk.notifies_progress_thread(patience + 1));
  EXPECT_TRUE(desk.notifies_progress_thread(never)) << "it is about to park";
  EXPECT_FALSE(desk.notifies_progress_thread(patience));
}

TEST(Fishing, NothingIsSentToALostPe) {
  Desk desk;
  desk.fish_from(1, 0);
  desk.tables.forget(1);
  desk.serve(patience);
  EXPECT_EQ(desk.sent(), Letters());
  EXPECT_EQ(desk.fishing.held(1), 0U);
}

// Somebody else evaluates it already.
TEST(Fishing, ASparkThatCannotBeExportedHasFizzled) {
  Desk desk;
  desk.import_fizzled(2);
  desk.fish_from(1, 0);
  EXPECT_EQ(desk.sent(), Letters());
  EXPECT_EQ(desk.count(Count::sparks_fizzled), 1U) << "one is kept for the worker";
}

// ---- flags
// ---------------------------------------------------------------------------------------

TEST(Fishing, MaxFishAreUnderWay) {
  for (const unsigned most : {1U, 3U}) {
    Options options;
    options.max_fish = most;
    Desk desk(options);
    EXPECT_EQ(desk.fish(), most);
    EXPECT_EQ(desk.fishing.outstanding(), most);
    desk.next_patience();  // none goes, one comes home
    EXPECT_EQ(desk.fish(), 1U);
  }
}

TEST(Fishing, UnderTheLowWatermarkItFishesThoughItHasSparks) {
  for (const unsigned low : {0U, 1U, 3U}) {
    for (int sparks = 1; sparks < 5; ++sparks) {
      Options options;
      options.policy = "random";  // takes the flag as it is
      options.low_watermark = low;
      Desk desk(options);
      desk.make_spare_sparks(sparks - 1);
      EXPECT_EQ(desk.fish(), static_cast<unsigned>(sparks) < low ? 1U : 0U) << sparks << ' ' << low;
    }
  }
}

TEST(Fishing, AFishWaitsForFishDelayAtFirst) {
  for (const double micros : {20.0, 300.0}) {
    Options options;
    options.fish_delay = micros;
    options.fish_delay_max = 8 * micros;
    const auto delay = static_cast<Nanos>(micros * 1000);
    Desk desk(options);
    for (const int times : {1, 2, 4}) {  // and then twice as long
      const auto wait = desk.next_patience();
      EXPECT_GE(wait, times * delay);
      EXPECT_LE(wait, 2 * times * delay);
    }
    for (int i = 0; i < 10; ++i) {
      const auto wait = desk.next_patience();
      EXPECT_GE(wait, 4 * delay);
      EXPECT_LE(wait, 8 * delay);
    }
    desk.fishing.consider(0);
    desk.fish_is_answered();
    EXPECT_LE(desk.next_patience(), 2 * delay) << "a catch resets it";
  }
}

// ---- what a policy has not

TEST(Fishing, WhereThePolicyHoldsNoneAFishGoesHomeAtOnce) {
  for (const auto* policy : {"random", "targeted", "rs", "crs", "cmrs", "acrs"}) {
    Options options;
    options.policy = policy;
    Desk desk(options);
    desk.fish_from(1, 0);
    EXPECT_EQ(desk.sent(), (Letters{{Kind::fish, 1}})) << policy;
    EXPECT_EQ(desk.count(Count::fish_forwarded), 0U) << "that is no journey";
    desk.make_spare_sparks(64);
    desk.serve(1);
    EXPECT_EQ(desk.sent(), Letters()) << "nor does it announce anything";
    EXPECT_FALSE(desk.watching());
    desk.fish_from(1, 2);
    EXPECT_EQ(desk.sent(), (Letters{{Kind::schedule, 1}})) << "one";
  }
}

TEST(Fishing, ThenTheThiefWaits) {
  for (const auto* policy : {"random", "targeted", "rs", "crs", "acrs"}) {
    Options options;
    options.policy = policy;
    options.fish_delay = 20;
    Desk desk(options);
    Nanos longest = 0;
    Nanos now = 0;
    for (int i = 0; i < 12; ++i) {
      ASSERT_EQ(desk.fish_at(now), 1U) << policy;
      EXPECT_EQ(desk.fish_comes_home(now), 0) << "it has no patience";
      EXPECT_EQ(desk.fish_at(now + 19'999), 0U);
      const auto again = desk.fishing.again();
      ASSERT_NE(again, never);
      EXPECT_LE(desk.due(), again);
      EXPECT_EQ(desk.fish_at(again - 1), 0U);
      longest = std::max(longest, again - now);
      now = again;
    }
    const bool at_once =
        std::string_view(policy) != "random" && std::string_view(policy) != "targeted";
    EXPECT_EQ(longest <= 20'000, at_once) << policy << ": stealing again at once, or backing off";
  }
}

// A near one's thief is local: for him it is kept.
TEST(Fishing, AFarFishIsNotHeld) {
  Desk desk;
  set_static(desk.tables, 1, {.cluster = 1});
  desk.fish_from(1, 0);
  EXPECT_EQ(desk.sent(), (Letters{{Kind::fish, 1}}));
  desk.fish_from(2, 0);
  EXPECT_EQ(desk.sent(), Letters());
  EXPECT_EQ(desk.fishing.held(2), 1U);
}

TEST(Fishing, TheTimeOfAFarStealIsTold) {
  for (const auto* policy : {"crs", "acrs"}) {
    Options options;
    options.policy = policy;
    Desk desk(options);
    for (int pe = 1; pe < pes; ++pe) set_static(desk.tables, pe, {.cluster = 1});
    ASSERT_EQ(desk.fish_at(100), 1U);
    EXPECT_EQ(desk.fish_at(200), 0U) << "only one, and nobody is near";
    desk.fish_comes_home(1'100);
    EXPECT_EQ(desk.tables.last_steal(1).took, 1'000);
    EXPECT_EQ(desk.tables.last_steal(1).in_vain, 1U);
    ASSERT_EQ(desk.fish_at(30'000), 1U);
    desk.fish_is_answered(35'000);
    EXPECT_EQ(desk.tables.last_steal(1).took, 5'000);
    EXPECT_EQ(desk.tables.last_steal(1).in_vain, 0U);
  }
}

TEST(Fishing, AFarFishAndANearOneAreUnderWayTogether) {
  Options options;
  options.policy = "crs";
  for (const unsigned most : {0U, 1U}) {
    options.max_fish = most;
    Desk desk(options);
    for (int pe = 15; pe < pes; ++pe) set_static(desk.tables, pe, {.cluster = 1});
    EXPECT_EQ(desk.fish(), most == 0 ? 2U : 1U) << "--trawl:max-fish bounds both";
  }
}

TEST(Fishing, AFishIsResolvedOnce) {
  Desk desk;
  desk.fish();
  const auto number = desk.number_under_way();
  desk.fish_is_answered();
  EXPECT_THROW(desk.fishing.caught(number, 0), BadBytes);
  EXPECT_EQ(desk.fishing.outstanding(), 0U);
}

TEST(Fishing, AtTheThreadLimitItDoesNotFish) {
  Options options;
  options.thread_limit = 3;
  Desk desk(options);
  desk.reach_thread_limit();
  EXPECT_EQ(desk.fish(), 0U);
}

// It alone fishes far for its cluster.
TEST(Fishing, AtTheThreadLimitItFishesForThoseThatWait) {
  Options options;
  options.thread_limit = 3;
  Desk desk(options);
  for (int pe = 2; pe < pes; ++pe) set_static(desk.tables, pe, {.cluster = 1});
  desk.reach_thread_limit();
  EXPECT_EQ(desk.fish(), 0U);
  desk.fish_from(1, 0);
  for (int i = 0; i < 10; ++i) desk.fishing.consider(0);
  const auto sent = desk.sent();
  EXPECT_FALSE(sent.empty());
  for (const auto& letter : sent) EXPECT_GT(letter.to, 1) << "none of its own";
}

TEST(Fishing, WorkAvailableIsForPesOfTheCluster) {
  Desk desk;
  set_static(desk.tables, 2, {.cluster = 1});
  EXPECT_THROW(desk.fishing.on_work_available(2, 0), BadBytes);
  EXPECT_EQ(desk.sent(), Letters());
}

}  // namespace
}  // namespace trawl
