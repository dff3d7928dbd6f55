// raytracer SCENE: a picture of a scene, drawn tile by tile. What a tile costs differs by orders of
// magnitude: sky is nothing, glass behind glass is a lot.
#include <algorithm>
#include <map>
#include <vector>

#include <trawl/trawl.hpp>
#include <unistd.h>

#include "programs/common/command.hpp"
#include "programs/common/picture.hpp"
#include "programs/common/progress.hpp"
#include "programs/raytracer/read_scene.hpp"
#include "programs/raytracer/render.hpp"

namespace raytracer {
namespace {

using programs::Picture;

/// Puts a tile in its place in the picture.
void paste(const Pixels& pixels, const Tile& tile, Picture& picture) {
  const auto at = [](std::int32_t x, std::int32_t y, std::int32_t width) {
    return 3 * (std::ptrdiff_t{y} * width + x);
  };
  for (std::int32_t row = 0; row < tile.height; ++row)
    std::copy_n(pixels.begin() + at(0, row, tile.width), 3 * tile.width,
                picture.rgb.begin() + at(tile.x, tile.y + row, picture.width));
}

Picture blank(const Settings& settings) {
  const auto pixels =
      static_cast<std::size_t>(settings.width) * static_cast<std::size_t>(settings.height);
  return {settings.width, settings.height, std::vector<std::uint8_t>(3 * pixels)};
}

Picture draw_alone(const Scene& scene, const Settings& settings, std::int32_t tile_size) {
  Picture picture = blank(settings);
  const auto tiles = tiles_of(settings, tile_size);
  programs::Progress progress("tiles", tiles.size());
  for (const Tile& tile : tiles) {
    paste(draw_tile(scene, settings, tile), tile, picture);
    progress.advance();
  }
  return picture;
}

/// Two parts of an area that has more than one tile, along the edge of a tile.
std::pair<Tile, Tile> halves(const Tile& area, std::int32_t tile_size) {
  const auto half = [&](std::int32_t size) { return (size / tile_size + 1) / 2 * tile_size; };
  const auto [x, y, width, height] = area;
  if (width >= height) {
    const std::int32_t left = half(width - 1);
    return {{x, y, left, height}, {x + left, y, width - left, height}};
  }
  const std::int32_t upper = half(height - 1);
  return {{x, y, width, upper}, {x, y + upper, width, height - upper}};
}

// ---- in parallel -------------------------------------------------------------------------------

struct Part {
  Tile tile;
  Pixels pixels;
};

// Halves an area down to tiles: who takes a spark takes as much work as there is, and asks seldom.
std::vector<Part> draw_area(const trawl::Lazy<Scene>& scene, const Settings& settings,
                            const Tile& area, std::int32_t tile_size) {
  if (area.width <= tile_size && area.height <= tile_size)
    return {{area, draw_tile(trawl::force(scene), settings, area)}};
  const auto [one, other] = halves(area, tile_size);
  auto elsewhere = trawl::spawn<draw_area>(scene, settings, one, tile_size);
  auto parts = draw_area(scene, settings, other, tile_size);
  for (Part& part : elsewhere.sync()) parts.push_back(std::move(part));
  return parts;
}

// Each PE fetches the scene once, when it draws its first tile.
Picture draw(const Scene& scene, const Settings& settings, std::int32_t tile_size,
             std::int32_t area_size) {
  const trawl::Lazy<Scene> shared(scene);
  const auto areas = tiles_of(settings, area_size * tile_size);
  std::vector<trawl::Lazy<std::vector<Part>>> drawn;
  drawn.reserve(areas.size());
  for (const Tile& area : areas)
    drawn.push_back(trawl::par(trawl::lazy<draw_area>(shared, settings, area, tile_size)));

  Picture picture = blank(settings);
  programs::Progress progress("areas", areas.size());
  for (auto& area : drawn) {
    for (const Part& part : trawl::force(area)) paste(part.pixels, part.tile, picture);
    area = {};
    progress.advance_in(drawn);
  }
  return picture;
}

// ------------------------------------------------------------------------------------------------

/// Says where the two differ first, or nothing.
std::string difference(const Picture& picture, const Picture& expected) {
  const auto [here, there] =
      std::mismatch(picture.rgb.begin(), picture.rgb.end(), expected.rgb.begin());
  if (here == picture.rgb.end()) return "";
  const auto pixel = (here - picture.rgb.begin()) / 3;
  return fmt::format("the pixel at {}, {} is not that of the sequential picture",
                     pixel % picture.width, pixel / picture.width);
}

class Program {
 public:
  int run(int argc, char** argv) {
    programs::Command command("raytracer", "A picture of a scene, by ray tracing.");
    add_options(command);
    return command.run(
        argc, argv, [&] { return draw(scene_, settings_, tile_, area_); },
        [&] { return draw_alone(scene_, settings_, tile_); },
        [&](const Picture& picture) {
          return difference(picture, draw_alone(scene_, settings_, tile_));
        },
        [&](const Picture& picture) { programs::write(picture, output_); });
  }

 private:
  void add_options(programs::Command& command) {
    command.add_text("SCENE", file_, "the scene (see programs/raytracer/scenes/README.md)")
        .needed();
    command.add_text("--output", output_, "a .png or .ppm file, or - for PPM on standard output")
        .with_default();
    command.add_number("--width", settings_.width, "pixels (default: as the scene says)", 1, 32768);
    command.add_number("--height", settings_.height, "pixels (default: as the scene says)", 1,
                       32768);
    command.add("--samples", settings_.samples, "a pixel has N x N rays", 1, 64);
    command.add("--depth", settings_.depth, "how often a ray may be reflected or refracted", 0, 32);
    command.add("--tile", tile_, "side of a tile in pixels, a multiple of 4", 4, 4096);
    command.add("--area", area_, "side of an area in tiles, which is halved down to them", 1, 8192);
    command.add_choice<Simd>("--simd", settings_.simd,
                             "instructions, for tests of their being the same",
                             {{"best", Simd::best},
                              {"portable", Simd::portable},
                              {"avx2", Simd::avx2},
                              {"avx512", Simd::avx512}});
    // Before the clock starts: --sequential and --check need the scene too.
    command.before([this] { prepare(); });
  }

  void prepare() {
    programs::check_picture(output_);
    if (output_ == "-" && isatty(STDOUT_FILENO) != 0)
      throw programs::BadInput("a picture is nothing for a terminal; give --output FILE.png");
    if (tile_ % 4 != 0) throw programs::BadInput("--tile: not a multiple of 4");
    if (!can_run(settings_.simd)) throw programs::BadInput("--simd: this processor has it not");
    scene_ = read_scene(file_);
    if (settings_.width == 0) settings_.width = scene_.width;
    if (settings_.height == 0) settings_.height = scene_.height;
    constexpr std::int64_t most = std::int64_t{1} << 28U;
    if (std::int64_t{settings_.width} * settings_.height > most)
      throw programs::BadInput(fmt::format("the picture has more than {} pixels", most));
  }

  std::string file_;
  std::string output_ = "-";
  Settings settings_{.samples = 2};
  std::int32_t tile_ = 32;
  std::int32_t area_ = 8;
  Scene scene_;
};

int root(int argc, char** argv) {
  return Program().run(argc, argv);
}

}  // namespace
}  // namespace raytracer

int main(int argc, char** argv) {
  return trawl::run<raytracer::root>(argc, argv);
}
