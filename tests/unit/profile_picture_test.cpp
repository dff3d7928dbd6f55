// profiles/: the picture, read back, and the text in it.
#include <cstdint>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>

#include <cairo.h>
#include <gtest/gtest.h>

#include "profiles/activity.hpp"
#include "profiles/axis.hpp"
#include "profiles/draw.hpp"
#include "rts/trace/log.hpp"
#include "tests/unit/profile_run.hpp"

#ifdef __SANITIZE_ADDRESS__
// What fontconfig keeps until the process ends is not ours to free.
extern "C" const char* __lsan_default_suppressions() {
  return "leak:libfontconfig";
}
#endif

namespace trawl::profile {
namespace {

using test::ProfileTest;
using trace::Kind;
using trace::Log;

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

TEST_F(ProfileTest, PictureShowsWhereShardsMove) {
  for (const bool moves : {false, true}) {
    time_ = 500;
    {
      Log log(setup(0, 1));
      time_ = 500 + 500'000;
      log.event(Kind::balance, 0, 12, moves ? 1 : 0, 900, 600);
      log.event(Kind::balance_share, 0, 0, 500, 250, 3);
      time_ = 500 + 1'000'000;
    }
    const auto found = run();
    const auto png = (dir_ / "picture.png").string();
    draw_png(measure(found, 0, found.end, 400), png);
    const long drawn = Image(png).count(0x8C33A6);
    if (moves)
      EXPECT_GT(drawn, 27 * 2 + 16 * 10) << "a bar as high as the PE's, and in the legend";
    else
      EXPECT_EQ(drawn, 0);
  }
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
  EXPECT_EQ(duration(0), "0 s");
  EXPECT_EQ(duration(1.25e6), "1.25 ms");
  EXPECT_EQ(duration(57.2e9), "57.2 s");
  EXPECT_EQ(duration(572e9), "572 s");
}

}  // namespace
}  // namespace trawl::profile
