// rts/trace: what is written is what lies on the disk, and a bad disk stops nobody.
#include <algorithm>
#include <cmath>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <span>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include "rts/trace/note.hpp"

namespace trawl::trace {
namespace {

namespace fs = std::filesystem;

class TraceTest : public testing::Test {
 protected:
  void SetUp() override {
    dir_ = fs::path(testing::TempDir()) /
           (std::string("trawl_trace_") + std::to_string(::getpid()) + "_" +
            testing::UnitTest::GetInstance()->current_test_info()->name());
    fs::remove_all(dir_);
  }
  void TearDown() override { fs::remove_all(dir_); }

  trace::Setup setup(int pe = 0, int pes = 2) {
    trace::Setup with;
    with.dir = dir_.string();
    with.pe = pe;
    with.pes = pes;
    with.clock = [this] { return time_; };
    return with;
  }

  Bytes file(int pe = 0) const {
    std::ifstream in(dir_ / file_name(pe), std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(in), {}};
    const auto bytes = std::as_bytes(std::span(text));
    return {bytes.begin(), bytes.end()};
  }

  /// The events of a file whose every block is intact.
  static std::vector<Event> events(const Bytes& bytes) {
    std::vector<Event> all;
    Reader in(std::span<const std::byte>(bytes).subspan(header_size));
    while (in.left() != 0) {
      const auto block = in.get<Block>();
      EXPECT_EQ(block.magic, block_magic);
      Reader inside(in.slice(block.count * sizeof(Event)));
      EXPECT_EQ(checksum(block, inside.rest()), block.checksum);
      while (inside.left() != 0) all.push_back(inside.get<Event>());
      EXPECT_EQ(all.back().time, block.last);
    }
    return all;
  }

  fs::path dir_;
  Nanos time_ = 1000;
};

TEST_F(TraceTest, KeepsEveryFieldOfAnEvent) {
  {
    Log log(setup());
    time_ = 1234;
    log.event(Kind::fish_sent, 3, 4'000'000'000U, 65'000, 3'000'000'000U);
  }
  const auto all = events(file());
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0].time, 1234);
  EXPECT_EQ(all[0].kind, Kind::fish_sent);
  EXPECT_EQ(all[0].worker, 3);
  EXPECT_EQ(all[0].value, 4'000'000'000U);
  EXPECT_EQ(all[0].extra, 65'000);
  EXPECT_EQ(all[0].id, 3'000'000'000U);
}

TEST_F(TraceTest, HeaderTellsWhatTheLogWasOpenedWith) {
  auto with = setup(1, 3);
  with.workers = 4;
  with.speed = 0.38;
  with.program = "queens";
  with.cluster = "east";
  with.host = "node7";
  Log log(with);
  log.set_offset(-77, 123);
  time_ = 5000;
  log.close(2);
  const auto header = decode(file(1));
  EXPECT_EQ(header.pe, 1);
  EXPECT_EQ(header.pes, 2) << "so many have come";
  EXPECT_EQ(header.run, 123);
  EXPECT_EQ(header.workers, 4);
  EXPECT_EQ(header.speed, 0.38);
  EXPECT_EQ(header.program, "queens");
  EXPECT_EQ(header.cluster, "east");
  EXPECT_EQ(header.host, "node7");
  EXPECT_EQ(header.start, 1000);
  EXPECT_EQ(header.end, 5000);
  EXPECT_EQ(header.offset, -77);
  EXPECT_EQ(header.state, State::closed);
}

TEST_F(TraceTest, OpenLogOfAKilledRunHasItsOffset) {
  Log log(setup());
  EXPECT_EQ(decode(file()).offset, -1000) << "until it is known the log's own start counts";
  log.set_offset(42);
  EXPECT_EQ(decode(file()).offset, 42);
  EXPECT_EQ(decode(file()).state, State::open);
}

TEST_F(TraceTest, TimesAreCorrectedForDriftAndNeverGoBack) {
  {
    Log log(setup());
    log.set_offset(-900);
    for (const Nanos drift : {0, 30, 20, 500}) {
      log.set_drift(drift);
      time_ += 5;
      log.event(Kind::note, 0);
    }
  }
  std::vector<Nanos> times;
  for (const auto& event : events(file())) times.push_back(event.time);
  EXPECT_EQ(times, (std::vector<Nanos>{1005, 1040, 1040, 1520}));
  EXPECT_EQ(decode(file()).offset, -900);
  EXPECT_EQ(decode(file()).end, 1520);
}

TEST_F(TraceTest, WhatWasSavedIsThereWhileTheLogIsOpen) {
  Log log(setup());
  log.save();
  EXPECT_EQ(file().size(), header_size) << "no empty blocks";
  for (std::uint32_t i = 0; i < 5; ++i) log.event(Kind::note, 0, i);
  log.save();
  EXPECT_EQ(events(file()).size(), 5u);
  log.event(Kind::note, 0, 5);
  log.close();
  EXPECT_EQ(events(file()).size(), 6u);
  log.save();
  EXPECT_EQ(events(file()).size(), 6u);
}

TEST_F(TraceTest, SmallBufferIsFlushedWhenFullAndKeepsOrder) {
  auto with = setup();
  with.buffer = 4096;
  constexpr std::uint32_t count = 10'000;
  Log log(with);
  for (std::uint32_t i = 0; i < count; ++i) {
    time_ += 3;
    log.event(Kind::note, 0, i);
  }
  EXPECT_GT(file().size(), (count - 4096 / sizeof(Event)) * sizeof(Event));
  log.close();
  const auto all = events(file());
  ASSERT_EQ(all.size(), count);
  for (std::uint32_t i = 0; i < count; ++i) ASSERT_EQ(all[i].value, i);
}

TEST_F(TraceTest, WorkersShareALog) {
  auto with = setup();
  with.clock = nullptr;
  with.buffer = 4096;
  constexpr std::uint32_t count = 20'000;
  {
    Log log(with);
    std::vector<std::thread> workers;
    for (unsigned worker = 0; worker < 4; ++worker)
      workers.emplace_back([&log, worker] {
        for (std::uint32_t i = 0; i < count; ++i) note(&log, Kind::note, worker, i);
      });
    for (auto& worker : workers) worker.join();
  }
  std::map<unsigned, std::uint32_t> next;
  Nanos last = 0;
  for (const auto& event : events(file())) {
    ASSERT_EQ(event.value, next[event.worker]++) << "each worker's events stay in order";
    ASSERT_GE(event.time, last);
    last = event.time;
  }
  for (unsigned worker = 0; worker < 4; ++worker) EXPECT_EQ(next[worker], count);
}

TEST_F(TraceTest, OneCallCountsAndNotes) {
  Counters counters;
  {
    Log log(setup());
    note<Count::fish_home_empty>(counters, &log, 2);
    note<Count::fish_forwarded>(counters, &log, 0, 1, 7, 3);
  }
  note<Count::fish_forwarded>(counters, nullptr, 0, 1, 7, 3);
  EXPECT_EQ(counters[Count::fish_home_empty], 1U);
  EXPECT_EQ(counters[Count::fish_forwarded], 2U);
  const auto all = events(file());
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[0].kind, Kind::fish_home);
  EXPECT_EQ(all[0].worker, 2);
  EXPECT_EQ(all[1].kind, Kind::fish_forward);
  EXPECT_EQ(all[1].value, 1U);
  EXPECT_EQ(all[1].extra, 7);
  EXPECT_EQ(all[1].id, 3U);
}

TEST_F(TraceTest, BothEndsGiveAMessageTheSameNumberThoughShortOnesOvertakeLongOnes) {
  {
    Log from(setup(0));
    Log to(setup(1));
    for (const std::size_t size : {100U, 90'000U, 101U, 90'001U})
      from.message(Kind::message_sent, 1, 3, size);
    from.message(Kind::message_sent, 1, 4, 100);
    from.message(Kind::message_sent, 7, 3, 100);
    to.message(Kind::message_received, 0, 4, 100);
    for (const std::size_t size : {100U, 101U, 90'000U, 90'001U})
      to.message(Kind::message_received, 0, 3, size);
  }
  const auto numbers = [this](int pe, std::uint32_t other) {
    std::map<std::pair<int, std::uint32_t>, std::uint32_t> by_message;
    for (const auto& event : events(file(pe)))
      if (event.value == other) by_message[{event.extra, event.size}] = event.id;
    return by_message;
  };
  EXPECT_EQ(numbers(0, 1), numbers(1, 0));
  EXPECT_EQ(numbers(0, 1).at({3, 90'001}), 2U);
}

TEST_F(TraceTest, ClosedLogDropsEvents) {
  Log log(setup());
  log.close();
  const auto size = file().size();
  log.event(Kind::note, 0);
  log.close();
  EXPECT_EQ(file().size(), size);
  EXPECT_EQ(log.trouble(), "");
}

TEST_F(TraceTest, ClockThatStepsBackKeepsTheFileInOrder) {
  {
    Log log(setup());
    time_ = 2000;
    log.event(Kind::note, 0);
    time_ = 1500;
    log.event(Kind::note, 0);
  }
  EXPECT_EQ(events(file())[1].time, 2000);
}

TEST_F(TraceTest, MainPeRemovesLogsOfALargerRun) {
  { Log log(setup(7, 8)); }
  { Log log(setup(1, 8)); }
  std::ofstream(dir_ / "pe-notes.txt") << "mine";
  { Log log(setup(0, 2)); }
  EXPECT_FALSE(fs::exists(dir_ / file_name(7)));
  EXPECT_TRUE(fs::exists(dir_ / file_name(1)));
  EXPECT_TRUE(fs::exists(dir_ / "pe-notes.txt"));
}

TEST_F(TraceTest, DirectoryThatIsAFileIsAnErrorNamingIt) {
  std::ofstream(dir_) << "not a directory";
  try {
    Log log(setup());
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find(dir_.string()), std::string::npos) << error.what();
    EXPECT_NE(std::string(error.what()).find("name another"), std::string::npos) << error.what();
  }
}

TEST_F(TraceTest, DirectoryInsideAFileIsAnError) {
  std::ofstream(dir_) << "not a directory";
  auto with = setup();
  with.dir = (dir_ / "below").string();
  EXPECT_THROW(Log log(with), Error);
}

TEST_F(TraceTest, TooManyWorkersAreRefused) {
  auto with = setup();
  with.workers = max_workers + 1;
  EXPECT_THROW(Log log(with), Error);
}

/// Limits the size of files, which looks to the log like a disk that is full.
class SmallDisk {
 public:
  explicit SmallDisk(rlim_t bytes) : handler_(std::signal(SIGXFSZ, SIG_IGN)) {
    ::getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit limit{bytes, before_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~SmallDisk() {
    ::setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, handler_);
  }

 private:
  rlimit before_{};
  void (*handler_)(int);
};

TEST_F(TraceTest, FullDiskStopsTheLogAndNotTheRun) {
  auto with = setup();
  with.buffer = 4096;
  std::string trouble;
  {
    const SmallDisk disk(10'000);
    Log log(with);
    for (std::uint32_t i = 0; i < 5'000; ++i) log.event(Kind::note, 0, ++time_ & 0xFF);
    log.close();
    trouble = log.trouble();
  }
  EXPECT_NE(trouble.find(file_name(0)), std::string::npos) << trouble;
  const auto bytes = file();
  EXPECT_LE(bytes.size(), 10'000U);
  const auto header = decode(bytes);
  EXPECT_EQ(header.state, State::truncated);
  EXPECT_GT(header.end, header.start);
}

TEST_F(TraceTest, DiskThatIsFullAtTheStartIsAnError) {
  const SmallDisk disk(100);
  EXPECT_THROW(Log log(setup()), Error);
}

TEST(TraceFormat, AnyFlippedBitOfAHeaderIsNoticed) {
  Header header;
  header.program = "fib";
  const auto good = encode(header);
  ASSERT_EQ(good.size(), header_size);
  EXPECT_EQ(decode(good).program, "fib");
  for (std::size_t bit = 0; bit < 8 * header_size; ++bit) {
    auto bad = good;
    bad[bit / 8] ^= std::byte{1} << (bit % 8);
    EXPECT_THROW((void)decode(bad), BadBytes) << "bit " << bit;
  }
}

TEST(TraceFormat, SenselessHeadersAreRefusedThoughIntact) {
  Header header;
  header.pe = 5;
  EXPECT_THROW((void)decode(encode(header)), BadBytes);
  header = {};
  header.pes = max_pes + 1;
  EXPECT_THROW((void)decode(encode(header)), BadBytes);
  header = {};
  header.speed = std::nan("");
  EXPECT_THROW((void)decode(encode(header)), BadBytes);
  header = {};
  header.offset = max_local;
  EXPECT_THROW((void)decode(encode(header)), BadBytes);
}

TEST(TraceFormat, LongNamesAreCut) {
  Header header;
  header.program = header.cluster = header.host = std::string(100'000, 'x');
  const auto bytes = encode(header);
  ASSERT_EQ(bytes.size(), header_size);
  EXPECT_EQ(decode(bytes).host, std::string(128, 'x'));
}

// Else two logs of the same simulated run differ by what was in memory.
TEST(TraceFormat, NothingOfOtherHeadersIsInOne) {
  Header other;
  other.program = other.cluster = other.host = std::string(128, 'x');
  encode(other);
  const auto bytes = encode(Header());
  EXPECT_EQ(std::count(bytes.begin(), bytes.end(), std::byte{'x'}), 0);
}

TEST(TraceFormat, FileNames) {
  EXPECT_EQ(file_name(7), "pe-0007.trawl");
  EXPECT_EQ(pe_of("pe-0007.trawl"), 7);
  EXPECT_EQ(pe_of("pe-12345.trawl"), 12345);
  for (const auto* other : {"pe-007.trawl", "pe-00007.trawl", "pe-0007.trawl~", "pe--001.trawl",
                            "pe-99999999999999999999.trawl", "pe-.trawl", ""})
    EXPECT_EQ(pe_of(other), -1) << other;
}

}  // namespace
}  // namespace trawl::trace
