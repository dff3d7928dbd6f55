// profiles/: the numbers of a known run, whatever may be wrong with a log, and the picture.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <span>
#include <string>
#include <vector>

#include <cairo.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <sys/stat.h>
#include <unistd.h>

#include "profiles/activity.hpp"
#include "profiles/axis.hpp"
#include "profiles/draw.hpp"
#include "profiles/read.hpp"
#include "profiles/summary.hpp"
#include "rts/trace/log.hpp"

#ifdef __SANITIZE_ADDRESS__
// What fontconfig keeps until the process ends is not ours to free.
extern "C" const char* __lsan_default_suppressions() {
  return "leak:libfontconfig";
}
#endif

namespace trawl::profile {
namespace {

namespace fs = std::filesystem;
using trace::Kind;
using trace::Log;

class ProfileTest : public testing::Test {
 protected:
  void SetUp() override {
    dir_ = fs::path(testing::TempDir()) /
           (std::string("trawl_profile_") + std::to_string(::getpid()) + "_" +
            testing::UnitTest::GetInstance()->current_test_info()->name());
    fs::remove_all(dir_);
    fs::create_directories(dir_);
  }
  void TearDown() override { fs::remove_all(dir_); }

  trace::Setup setup(int pe, int pes) {
    trace::Setup with;
    with.dir = dir_.string();
    with.pe = pe;
    with.pes = pes;
    with.program = "fib";
    with.buffer = 4096;
    with.clock = [this] { return time_; };
    return with;
  }

  void at(Log& log, Nanos time, Kind kind, unsigned worker = 0, std::uint32_t value = 0) {
    time_ = 500 + time;  // 500: this PE's clock is ahead of the run's
    log.event(kind, worker, value);
  }

  /// 1000 ns: idle 100, one thread 300 (of it 100 with a second one runnable), collection 100, one
  /// thread 100, only a blocked one 200, the woken one 100, idle 100.
  void write_known(int pe = 0, int pes = 1) {
    time_ = 500;
    Log log(setup(pe, pes));
    log.set_offset(-500);
    at(log, 100, Kind::thread_start);
    at(log, 100, Kind::thread_run);
    at(log, 200, Kind::thread_start);
    at(log, 300, Kind::thread_end);
    at(log, 300, Kind::thread_run);
    at(log, 400, Kind::gc_begin);
    at(log, 500, Kind::gc_end);
    at(log, 600, Kind::thread_block);
    at(log, 700, Kind::load, 0, 6);
    at(log, 800, Kind::thread_resume);
    at(log, 800, Kind::thread_run);
    at(log, 900, Kind::thread_end);
    at(log, 900, Kind::load, 0, 0);
    time_ = 1500;
  }

  std::string path(int pe = 0) const { return (dir_ / trace::file_name(pe)).string(); }

  std::string contents(int pe = 0) const {
    std::ifstream in(path(pe), std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }

  void overwrite(const std::string& bytes, int pe = 0) const {
    fs::remove(
        path(pe));  // a new file: some file systems write a shortened one to the disk at once
    std::ofstream(path(pe), std::ios::binary | std::ios::trunc) << bytes;
  }

  profile::Run run() const { return open_run(dir_.string()); }

  /// Reads and sums up whatever is there, if anything; how many events were readable, or -1.
  long digest() const {
    try {
      const auto found = run();
      const auto activity = measure(found, 0, found.end, 10);
      double time = 0;
      for (const auto& pe : activity.pes) time += pe.total.busy + pe.total.gc;
      EXPECT_TRUE(std::isfinite(time));
      EXPECT_FALSE(table(activity).empty());
      EXPECT_LT(found.damage.size(), 100U);
      return static_cast<long>(found.logs.front().events);
    } catch (const Error& error) {
      EXPECT_EQ(error.exit_code(), 2) << error.what();
      return -1;
    }
  }

  fs::path dir_;
  Nanos time_ = 0;
};

constexpr long known_events = 13;

TEST_F(ProfileTest, KnownRunGivesItsNumbers) {
  write_known();
  const auto found = run();
  EXPECT_TRUE(found.damage.empty());
  EXPECT_EQ(found.end, 1000);
  const auto activity = measure(found, 0, found.end, 10);
  const auto& total = activity.pes[0].total;
  EXPECT_EQ(total.busy, 500);
  EXPECT_EQ(total.running, 500);
  EXPECT_EQ(total.active, 600);
  EXPECT_EQ(total.runnable, 100 + 100) << "a second thread, and the running one in the collection";
  EXPECT_EQ(total.gc, 100);
  EXPECT_EQ(total.blocked_only, 200);
  EXPECT_EQ(total.sparks, 6 * 200);
  EXPECT_DOUBLE_EQ(activity.parallelism(), 0.5);
  EXPECT_EQ(activity.pes[0].events(Kind::thread_start), 2U);
}

TEST_F(ProfileTest, BinsHoldTheirSliceOfTime) {
  write_known();
  const auto activity = measure(run(), 0, 1000, 10);
  const std::vector<double> busy{0, 100, 100, 100, 0, 100, 0, 0, 100, 0};
  const std::vector<double> blocked_only{0, 0, 0, 0, 0, 0, 100, 100, 0, 0};
  for (std::size_t bin = 0; bin < 10; ++bin) {
    EXPECT_EQ(activity.pes[0].bins[bin].busy, busy[bin]) << bin;
    EXPECT_EQ(activity.pes[0].bins[bin].gc, bin == 4 ? 100 : 0) << bin;
    EXPECT_EQ(activity.pes[0].bins[bin].blocked_only, blocked_only[bin]) << bin;
  }
}

TEST_F(ProfileTest, BinsThatDoNotDivideTheTimeLoseNone) {
  write_known();
  for (const std::size_t bins : {1U, 3U, 7U, 64U, 999U}) {
    const auto activity = measure(run(), 0, 1000, bins);
    EXPECT_EQ(activity.pes[0].total.busy, 500) << bins;
    EXPECT_EQ(activity.boundary(bins), activity.to);
  }
}

TEST_F(ProfileTest, WindowKnowsWhatCameBefore) {
  write_known();
  const auto activity = measure(run(), 250, 450, 5);
  EXPECT_EQ(activity.pes[0].total.busy, 150);
  EXPECT_EQ(activity.pes[0].total.active, 200);
  EXPECT_EQ(activity.pes[0].total.gc, 50);
  EXPECT_EQ(activity.pes[0].events(Kind::thread_start), 0U);
  EXPECT_EQ(activity.pes[0].events(Kind::gc_begin), 1U);
}

TEST_F(ProfileTest, WorkersOfAPeAddUp) {
  auto with = setup(0, 1);
  with.workers = 2;
  time_ = 500;
  {
    Log log(with);
    for (const unsigned worker : {0U, 1U}) {
      at(log, 0, Kind::thread_start, worker);
      at(log, 0, Kind::thread_run, worker);
    }
    at(log, 50, Kind::thread_end, 0);
    time_ = 600;
  }
  const auto activity = measure(run(), 0, 100, 4);
  EXPECT_EQ(activity.pes[0].total.running, 150);
  EXPECT_EQ(activity.pes[0].total.busy, 100);
  EXPECT_EQ(to_json(activity)["total"]["busy"], 0.75);
}

TEST_F(ProfileTest, LostEventsDoNotLeaveAThreadRunning) {
  time_ = 500;
  {
    Log log(setup(0, 1));
    at(log, 10, Kind::thread_run);  // no thread_start, and its thread_end is lost
    at(log, 20, Kind::idle_begin);
    at(log, 30, Kind::thread_resume);  // no thread_block
    at(log, 40, Kind::thread_run);
    at(log, 50, Kind::thread_end);
    time_ = 600;
  }
  const auto activity = measure(run(), 0, 100, 10);
  EXPECT_EQ(activity.pes[0].total.running, 20);
  EXPECT_EQ(activity.pes[0].total.blocked, 0);
}

TEST_F(ProfileTest, JsonHoldsTheSummary) {
  write_known(0, 2);
  write_known(1, 2);
  const auto json = to_json(measure(run(), 0, 1000, 10));
  EXPECT_EQ(json["program"], "fib");
  EXPECT_EQ(json["pes"], 2);
  EXPECT_EQ(json["average_parallelism"], 1.0);
  ASSERT_EQ(json["per_pe"].size(), 2U);
  EXPECT_EQ(json["per_pe"][1]["pe"], 1);
  EXPECT_EQ(json["per_pe"][1]["gc"], 0.1);
  EXPECT_EQ(json["total"]["threads"], 4);
}

TEST_F(ProfileTest, NothingToReadIsAnErrorOfUsage) {
  EXPECT_EQ(digest(), -1) << "an empty directory";
  EXPECT_THROW(open_run((dir_ / "missing").string()), Error);
  std::ofstream(dir_ / "file") << "x";
  EXPECT_THROW(open_run((dir_ / "file").string()), Error);
}

TEST_F(ProfileTest, MissingPesAreReported) {
  write_known(1, trace::max_pes);
  const auto found = run();
  ASSERT_EQ(found.damage.size(), 1U);
  EXPECT_EQ(to_string(found.damage[0]).find(dir_.string() + ": no readable log of 1048575 of"), 0U)
      << to_string(found.damage[0]);
}

TEST_F(ProfileTest, LogsOfDifferentRunsAreReported) {
  write_known(0, 2);
  write_known(1, 3);
  EXPECT_EQ(run().damage.size(), 1U);
}

TEST_F(ProfileTest, LogUnderAnotherPesNameIsLeftOut) {
  write_known(0, 2);
  fs::copy_file(path(0), path(1));
  const auto found = run();
  EXPECT_EQ(found.logs.size(), 1U);
  EXPECT_FALSE(found.damage.empty());
}

TEST_F(ProfileTest, WhatIsNoFileIsReported) {
  write_known(0, 3);
  fs::create_directory(path(1));
  ASSERT_EQ(::mkfifo(path(2).c_str(), 0600), 0);
  const auto found = run();
  EXPECT_EQ(found.logs.size(), 1U);
  for (const int pe : {1, 2})
    EXPECT_TRUE(std::any_of(found.damage.begin(), found.damage.end(), [&](const auto& damage) {
      return to_string(damage).find(path(pe) + ": it is no regular file") != std::string::npos;
    })) << pe;
}

TEST_F(ProfileTest, LogOfADeadPeIsReadUpToItsEnd) {
  time_ = 500;
  Log log(setup(0, 1));
  for (int i = 0; i < 300; ++i) at(log, i, Kind::note);
  const auto found = run();  // while it is still open
  ASSERT_EQ(found.damage.size(), 1U);
  EXPECT_NE(found.damage[0].what.find("never closed"), std::string::npos);
  EXPECT_FALSE(found.logs[0].complete);
  EXPECT_EQ(found.logs[0].events, 4096 / sizeof(trace::Event) - 2) << "one full buffer";
}

TEST_F(ProfileTest, EveryTruncationIsReported) {
  write_known();
  const auto good = contents();
  ASSERT_EQ(digest(), known_events);
  for (std::size_t size = 0; size < good.size(); ++size) {
    overwrite(good.substr(0, size));
    const auto header = trace::header_size + sizeof(trace::Block);
    const auto whole = size < header ? 0 : (size - header) / sizeof(trace::Event);
    const auto expected = size < trace::header_size ? -1 : static_cast<long>(whole);
    ASSERT_EQ(digest(), expected) << size << " bytes";
    if (expected >= 0 && size > trace::header_size) {
      ASSERT_FALSE(run().damage.empty()) << size << " bytes";
    }
  }
}

TEST_F(ProfileTest, EveryFlippedBitIsReportedAndMovesNoTime) {
  write_known();
  const auto good = contents();
  for (std::size_t bit = 0; bit < good.size() * 8; ++bit) {
    auto bad = good;
    bad[bit / 8] = static_cast<char>(bad[bit / 8] ^ (1 << (bit % 8)));
    overwrite(bad);
    if (bit / 8 < trace::header_size) {
      ASSERT_EQ(digest(), -1) << "bit " << bit;
      continue;
    }
    const auto found = run();
    ASSERT_FALSE(found.damage.empty()) << "bit " << bit;
    ASSERT_EQ(found.damage[0].at, trace::header_size) << "bit " << bit;
    ASSERT_LE(found.end, 1000) << "bit " << bit;
    ASSERT_GE(digest(), 0);
  }
}

TEST_F(ProfileTest, BlocksBehindADamagedOneAreRead) {
  time_ = 500;
  {
    Log log(setup(0, 1));
    for (std::uint32_t i = 0; i < 1000; ++i) at(log, i, Kind::note, 0, i);
  }
  auto bytes = contents();
  const auto second = trace::header_size + 4096;
  std::fill_n(bytes.begin() + second, 100, '\xFF');  // its Block and some events
  overwrite(bytes);
  const auto found = run();
  ASSERT_EQ(found.damage.size(), 1U);
  EXPECT_EQ(found.damage[0].at, second);
  std::uint32_t last = 0;
  replay(
      found.logs[0], [&last](const trace::Event& event) { last = event.value; }, nullptr);
  EXPECT_EQ(last, 999U);
  EXPECT_TRUE(found.logs[0].complete);
}

std::string text_of(const Bytes& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

template <class T>
std::string raw(const T& value) {
  return text_of(Bytes(std::as_bytes(std::span(&value, 1)).begin(),
                       std::as_bytes(std::span(&value, 1)).end()));
}

TEST_F(ProfileTest, RandomBytesAreReported) {
  std::mt19937_64 random(1);
  const auto header = text_of(encode(trace::Header{}));
  for (int i = 0; i < 500; ++i) {
    std::string noise(random() % 3000, '\0');
    for (auto& c : noise) c = static_cast<char>(random());
    overwrite(noise);
    ASSERT_EQ(digest(), -1);
    overwrite(header + noise);
    ASSERT_GE(digest(), 0);
    // Many beginnings of blocks, none of which is one.
    for (std::size_t at = 0; at + 64 < noise.size(); at += 16 * (1 + random() % 5))
      std::memcpy(noise.data() + at, &trace::block_magic, 8);
    overwrite(header + noise);
    ASSERT_GE(digest(), 0);
  }
}

TEST_F(ProfileTest, IntactBlocksOfNonsenseAreHarmless) {
  std::mt19937_64 random(2);
  for (int i = 0; i < 500; ++i) {
    trace::Header header;
    header.state = static_cast<trace::State>(random() % 3);
    header.end = static_cast<Nanos>(random() % (1ULL << 61));
    header.offset = static_cast<Nanos>(random() % (1ULL << 61)) * (random() % 2 == 0 ? 1 : -1);
    std::vector<trace::Event> events(1 + random() % 100);
    for (auto& event : events)
      event = {static_cast<Nanos>(random() >> (random() % 64)),
               static_cast<std::uint32_t>(random()), static_cast<std::uint16_t>(random()),
               static_cast<Kind>(random() % 30), static_cast<std::uint8_t>(random())};
    trace::Block block{trace::block_magic, static_cast<std::uint32_t>(events.size()), 0, 0, 0};
    block.checksum = trace::checksum(block, std::as_bytes(std::span(events)));
    auto bytes = text_of(encode(header)) + raw(block);
    for (const auto& event : events) bytes += raw(event);
    overwrite(bytes);
    ASSERT_GE(digest(), 0);
  }
}

/// Reads a PNG back.
class Image {
 public:
  explicit Image(const std::string& path)
      : surface_(cairo_image_surface_create_from_png(path.c_str())) {
    EXPECT_EQ(cairo_surface_status(surface_), CAIRO_STATUS_SUCCESS) << path;
  }
  Image(const Image&) = delete;
  Image& operator=(const Image&) = delete;
  ~Image() { cairo_surface_destroy(surface_); }

  int width() const { return cairo_image_surface_get_width(surface_); }
  int height() const { return cairo_image_surface_get_height(surface_); }

  /// Pixels of exactly this colour, 0xRRGGBB.
  long count(std::uint32_t colour) const {
    long found = 0;
    for (int y = 0; y < height(); ++y)
      for (int x = 0; x < width(); ++x) {
        std::uint32_t pixel;
        std::memcpy(&pixel,
                    cairo_image_surface_get_data(surface_) +
                        y * cairo_image_surface_get_stride(surface_) + 4 * x,
                    4);
        if ((pixel & 0xFFFFFF) == colour) ++found;
      }
    return found;
  }

 private:
  cairo_surface_t* surface_;
};

TEST_F(ProfileTest, PictureShowsHowLongEachStateLasted) {
  time_ = 500;
  {
    Log log(setup(0, 1));
    at(log, 0, Kind::thread_start);
    at(log, 0, Kind::thread_run);
    at(log, 500'000, Kind::gc_begin);
    at(log, 750'000, Kind::gc_end);
    at(log, 750'000, Kind::thread_end);
    time_ = 500 + 1'000'000;
  }
  const auto found = run();
  const auto png = (dir_ / "picture.png").string();
  draw_png(measure(found, 0, found.end, 400), png);
  const Image image(png);
  const long bar = 27;          // pixels a bar is high when there are few
  const long swatch = 18 * 12;  // in the legend, part of it under its frame
  EXPECT_NEAR(static_cast<double>(image.count(0xA6A6A6)), 200 * bar, 60) << "one thread: half";
  EXPECT_NEAR(static_cast<double>(image.count(0x2870C7)), 100 * bar + swatch, 60) << "collection";
}

TEST_F(ProfileTest, AnyNumberOfPesFitsAPicture) {
  for (const int pes : {1, 2, 64, 300}) {
    for (int pe = 0; pe < pes; ++pe) write_known(pe, pes);
    const auto activity = measure(run(), 0, 1000, 400);
    const auto png = (dir_ / "picture.png").string();
    const auto svg = (dir_ / "picture.svg").string();
    draw_png(activity, png);
    draw_svg(activity, svg);
    const Image image(png);
    EXPECT_GT(image.width(), 400);
    EXPECT_LT(image.width(), 600);
    EXPECT_GT(image.height(), pes);
    EXPECT_LT(image.height(), 1500);
    std::ifstream in(svg);
    const std::string text{std::istreambuf_iterator<char>(in), {}};
    EXPECT_EQ(text.rfind("</svg>"), text.size() - 7);
  }
}

TEST_F(ProfileTest, OddNamesAreDrawn) {
  auto with = setup(0, 1);
  with.program = "\xFF\xFE bad utf-8 \n" + std::string(500, 'x');
  with.cluster = std::string(3, '\0');
  { Log log(with); }
  const auto found = run();
  EXPECT_NO_THROW(draw_png(measure(found, 0, found.end, 400), (dir_ / "picture.png").string()));
}

TEST_F(ProfileTest, PictureThatCanNotBeWrittenIsAnErrorNamingIt) {
  write_known();
  const auto activity = measure(run(), 0, 1000, 400);
  const auto nowhere = (dir_ / "missing" / "picture").string();
  for (const auto draw : {draw_png, draw_svg}) try {
      draw(activity, nowhere);
      FAIL() << "no error";
    } catch (const Error& error) {
      EXPECT_EQ(error.exit_code(), 2);
      EXPECT_NE(std::string(error.what()).find(nowhere + ": No such file"), std::string::npos)
          << error.what();
    }
}

TEST(ProfileText, DurationsHaveTheUnitThatSuits) {
  EXPECT_EQ(duration(0), "0.00 ns");
  EXPECT_EQ(duration(1.25e6), "1.25 ms");
  EXPECT_EQ(duration(57.2e9), "57.2 s");
  EXPECT_EQ(duration(572e9), "572 s");
}

}  // namespace
}  // namespace trawl::profile
