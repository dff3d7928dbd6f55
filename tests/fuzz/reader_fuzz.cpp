// What the programs' readers make of damaged files: a value that keeps its promises, or BadInput in
// one line, never anything else. To be run under sanitizers; `reader_fuzz [cases [first]]`.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <sys/resource.h>

#include "programs/common/bad_input.hpp"
#include "tests/fuzz/reader_promises.hpp"
#include "tests/fuzz/text_damage.hpp"

namespace {

using namespace fuzz;

// ---- files -------------------------------------------------------------------------------------

struct Format {
  std::string file;
  std::vector<std::string> samples;
  void (*read)(const std::string& file);
};

std::string beside(const std::string& file, const char* other) {
  return std::filesystem::path(file).replace_filename(other);
}

constexpr const char* market = "%%MatrixMarket matrix ";

/// Files that stay as they are.
const std::vector<std::pair<std::string, std::string>> companions{
    {"right.txt", "3 -4 5\n"},
    {"left.mtx", std::string(market) + "array integer general\n3 3\n1 2 3 4 5 6 7 8 10\n"},
    {"square.obj", "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 3 4\n"},
    {"mesh.scene",
     "camera from 0 2 8 to 0 1 0\nmaterial m\nmesh mesh.obj material m at 0 1 0 turn 45 smooth\n"}};

std::string tipsy(std::int32_t gas, std::int32_t dark, std::int32_t stars) {
  std::string text;
  const auto put = [&text](auto value) {
    text.append(reinterpret_cast<const char*>(&value), sizeof value);
  };
  put(0.5);
  for (const std::int32_t count : {gas + dark + stars, 3, gas, dark, stars, 0}) put(count);
  for (int i = 0; i < 12 * gas + 9 * dark + 11 * stars; ++i) put(static_cast<float>(i) / 8);
  return text;
}

const std::vector<Format> formats{
    {"cities.tsp",
     {("NAME: a\nTYPE: TSP\nCOMMENT: b\nDIMENSION: 4\nEDGE_WEIGHT_TYPE: GEO\nNODE_COORD_SECTION\n"
       "1 16.47 96.10\n2 16.47 94.44\n3 20.09 92.54\n4 -22.39 93.37\nEOF\n"),
      ("DIMENSION : 3\nEDGE_WEIGHT_TYPE : CEIL_2D\nNODE_COORD_SECTION\n1 0 0\n2 3.5 4\n3 1e3 7e6\n"
       "DISPLAY_DATA_SECTION\n1 1 1\n2 2 2\n3 3 3\nEOF\n"),
      ("DIMENSION: 3\nEDGE_WEIGHT_TYPE: EXPLICIT\nEDGE_WEIGHT_FORMAT: FULL_MATRIX\n"
       "EDGE_WEIGHT_SECTION\n0 1 2\n1 0 3\n2 3 0\nEOF\n"),
      ("DIMENSION: 4\nEDGE_WEIGHT_TYPE: EXPLICIT\nEDGE_WEIGHT_FORMAT: LOWER_DIAG_ROW\n"
       "EDGE_WEIGHT_SECTION\n0 9 0 8 7 0 6 5 4 0\nDISPLAY_DATA_TYPE: TWOD_DISPLAY\n"),
      ("DIMENSION: 3\nEDGE_WEIGHT_TYPE: EXPLICIT\nEDGE_WEIGHT_FORMAT: UPPER_ROW\n"
       "EDGE_WEIGHT_SECTION\n1 2\n20000000\nEOF\n")},
     read_tsplib},
    {"system.txt",
     {"2\n2 1 5\n1 -3 -8\n", "1\n-7 +2251799813685248\n",
      "3\n0 0 1 2\n-9999999999999999999999 4 5 6\n7 8 9 10\n"},
     [](const std::string& file) { check(lin_solv::read_system(file, "")); }},
    {"system.mtx",
     {std::string(market) + "array integer general\n% a comment\n\n3 3\n1 2 3\n4 5 6\n7 8 10\n",
      std::string(market) + "array integer symmetric\n3 3\n1 2 3\n4 5\n6\n",
      std::string(market) + "coordinate integer general\n3 3 4\n1 2 5\n2 1 -6\n3 3 7\n3 1 1\n",
      std::string(market) + "coordinate integer skew-symmetric\n3 3 3\n2 1 5\n3 1 1\n3 2 9\n"},
     [](const std::string& file) {
       check(lin_solv::read_system(file, beside(file, "right.txt")));
     }},
    {"right.mtx",
     {"3\n4 5\n", std::string(market) + "array integer general\n3 1\n3\n4\n5\n",
      std::string(market) + "coordinate integer general\n3 1 2\n3 1 5\n1 1 -9\n"},
     [](const std::string& file) { check(lin_solv::read_system(beside(file, "left.mtx"), file)); }},
    {"bodies.csv",
     {"mass,x,y,z,vx,vy,vz\n1,0,0,0,0,0,0.1\n2.5e0,1,-1,0.25,0,1e-300,0\n0,1,2,3,4,5,6\n",
      "# time 1.5\n# mass x y z vx vy vz\n\n1 0\t0 , 0 0 0 1e-1 # first\n+3 4 5 6 7 8 9\n"},
     read_bodies},
    {"bodies.std", {tipsy(1, 1, 1), tipsy(0, 3, 0), tipsy(2, 0, 0).erase(28, 4)}, read_bodies},
    {"some.scene",
     {("image 640 400\ncamera from 0 2 8  to 0 1 0  up 0 1 0  angle 36  # a comment\n"
       "sky 0.8 0.9 1  0.1 0.3 0.7\nambient 0.1 0.1 0.1\nlight at 4 8 6  color 1 1 1\n"),
      ("camera from 0 8 1 to 0 0 0\nmaterial m color 0.7 0.7 0.7 checker 0.2 0.2 0.2 square 1\n"
       "plane at 0 0 0 normal 0 1 0 material m\nsphere at 0 1 0 radius 1 material m\n"),
      ("camera from 1 2 3 to 0 0 0\n"
       "material m specular 0.7 shine 100 reflect 0.4 refract 0.5 ior 1\n"
       "triangle 0 0 0  1 0 0  0 1 0  material m\n"),
      ("camera from 1 2 3 to 0 0 0\nmaterial m\nmaterial n\n"
       "flake at 0 1 0 radius 1 levels 2 material n\n"),
      ("camera from 1 0 0 to 0 0 0\nmaterial m\n"
       "mesh square.obj material m at 0 1 0 scale 2 turn 30 smooth\n")},
     [](const std::string& file) { check(raytracer::read_scene(file)); }},
    {"mesh.obj",
     {"o a\nv 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 1\nf 1 2 3 4\nf -1 -2 -4\n",
      ("v 0 0 0\nv 1 0 0\nv 0 1 0\nvt 0 0\nvn 0 0 1\nvn 0.6 0 0.8\nf 1//1 2//2 3//1\n"
       "f 3/1/2 2/1/1 1/1/-1\nf 1/1 2/1 3/1\n"),
      "v 0 0 0\nv 1 0 0\nv 0 1 0\nvn -3e-23 0 3e-23\nf 1//1 2//1 3//1\n"},
     [](const std::string& file) { check(raytracer::read_scene(beside(file, "mesh.scene"))); }}};

// A new file: what is cut off and written again, file systems hurry to the disk.
void write(const std::string& file, const std::string& text) {
  std::filesystem::remove(file);
  std::ofstream out(file, std::ios::binary);
  out << text << std::flush;
  if (!out) throw std::runtime_error(file + " can't be written");
}

// ---- cases -------------------------------------------------------------------------------------

bool took_a_gigabyte() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss >= 1 << 20;  // KiB
}

/// Was it read? No file here is long.
bool is_read(const Format& format, const std::string& file) {
  bool read = true;
  try {
    format.read(file);
  } catch (const programs::BadInput& e) {
    read = false;
    const std::string_view what = e.what();
    expect(what.find(": ") != what.npos, "an error that says where");
    expect(std::all_of(what.begin(), what.end(), [](char c) { return c >= ' ' && c <= '~'; }),
           "an error of one line that no terminal obeys");
  }
  expect(!took_a_gigabyte(), "no gigabytes for a few bytes");
  return read;
}

struct Tally {
  std::uint64_t values = 0;
  std::uint64_t errors = 0;
};

void run(const std::filesystem::path& folder, std::uint64_t first, std::uint64_t cases,
         std::vector<Tally>& tallies) {
  for (const auto& [name, text] : companions) write(folder / name, text);
  for (const Format& format : formats)
    for (const std::string& sample : format.samples) {
      write(folder / format.file, sample);
      expect(is_read(format, folder / format.file), "sound files are read");
    }
  for (auto number = first; number < first + cases; ++number) {
    const Format& format = formats[number % formats.size()];
    Tally& tally = tallies[number % formats.size()];
    write(folder / format.file, Damage(number).damaged(format.samples));
    try {
      ++(is_read(format, folder / format.file) ? tally.values : tally.errors);
    } catch (const std::exception& e) {
      throw Broken(fmt::format("case {}, {}: {}", number, format.file, e.what()));
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  const auto cases = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 80'000;
  const auto first = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 0;
  std::string folder = std::filesystem::temp_directory_path() / "reader_fuzz.XXXXXX";
  if (mkdtemp(folder.data()) == nullptr) return std::perror(folder.c_str()), 1;
  // Of a crash, the file that made it is left there.
  std::printf("files in %s\n", folder.c_str());
  std::fflush(stdout);
  std::vector<Tally> tallies(formats.size());
  try {
    run(folder, first, cases, tallies);
  } catch (const std::exception& e) {
    std::printf("%s\n", e.what());
    return 1;
  }
  std::filesystem::remove_all(folder);
  bool sound = true;
  for (std::size_t i = 0; i < formats.size(); ++i) {
    const auto& [values, errors] = tallies[i];
    std::printf("%s: %llu values, %llu errors\n", formats[i].file.c_str(),
                static_cast<unsigned long long>(values), static_cast<unsigned long long>(errors));
    sound = sound && values > 0 && errors > 0;
  }
  // A reader that refuses all or nothing hasn't been tested.
  return sound || argc > 1 ? 0 : 1;
}
