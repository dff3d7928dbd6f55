#include "programs/barnes_hut/read_write.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <fstream>
#include <iterator>
#include <limits>
#include <optional>
#include <string_view>
#include <system_error>

#include <fmt/format.h>

#include "programs/common/text.hpp"

namespace bh {
namespace {

using programs::BadInput;
using programs::shown;

constexpr std::string_view blanks = " \t\r\f\v";
constexpr std::string_view separators = " \t\r\f\v,";
// Squares of larger ones might overflow.
constexpr double largest = 1e50;

bool is_tipsy(const std::string& file) {
  return file.ends_with(".tipsy") || file.ends_with(".std");
}

// What is wrong with a body, if anything.
std::string fault(const Body& body) {
  const Vec& x = body.position;
  const Vec& v = body.velocity;
  for (const double value : {body.mass, x.x, x.y, x.z, v.x, v.y, v.z}) {
    if (!std::isfinite(value)) return "a number is infinite or not a number";
    if (std::abs(value) > largest) return fmt::format("{} is too large", value);
  }
  return body.mass < 0 ? fmt::format("the mass {} is negative", body.mass) : "";
}

// ---- text --------------------------------------------------------------------------------------

constexpr std::array<std::string_view, 7> columns{"mass", "x", "y", "z", "vx", "vy", "vz"};

class TextReader {
 public:
  TextReader(const std::string& file, std::string_view content) : file_(file), rest_(content) {}

  Snapshot read() {
    while (!rest_.empty()) {
      const auto end = std::min(rest_.find('\n'), rest_.size());
      read_line(rest_.substr(0, end));
      rest_.remove_prefix(std::min(end + 1, rest_.size()));
    }
    return std::move(snapshot_);
  }

 private:
  [[noreturn]] void fail(const std::string& cause) const {
    throw BadInput(fmt::format("{}:{}: {}", file_, line_, cause));
  }

  void read_line(std::string_view line) {
    ++line_;
    if (const auto comment = line.find('#'); comment != std::string_view::npos) {
      read_comment(line.substr(comment + 1));
      line = line.substr(0, comment);
    }
    const auto fields = split(line);
    if (fields.empty()) return;
    if (snapshot_.bodies.empty() && names_columns(fields)) return;
    if (fields.size() != columns.size())
      fail(fmt::format("{} numbers, but a body has 7: mass x y z vx vy vz", fields.size()));
    std::array<double, columns.size()> v{};
    for (std::size_t i = 0; i < v.size(); ++i) v[i] = number(fields[i]);
    Body body;
    body.mass = v[0];
    body.position = {v[1], v[2], v[3]};
    body.velocity = {v[4], v[5], v[6]};
    if (const auto cause = fault(body); !cause.empty()) fail(cause);
    snapshot_.bodies.push_back(body);
  }

  void read_comment(std::string_view text) {
    const auto fields = split(text);
    if (fields.size() == 2 && fields[0] == "time") snapshot_.time = number(fields[1]);
    if (!std::isfinite(snapshot_.time)) fail("the time is infinite or not a number");
  }

  // Blanks, or a comma with blanks around it; two commas have an empty field between them.
  static std::vector<std::string_view> split(std::string_view line) {
    std::vector<std::string_view> fields;
    bool after_comma = false;
    for (;;) {
      line.remove_prefix(std::min(line.find_first_not_of(blanks), line.size()));
      if (line.empty() && !after_comma) return fields;
      const auto end = std::min(line.find_first_of(separators), line.size());
      fields.push_back(line.substr(0, end));
      line.remove_prefix(end);
      line.remove_prefix(std::min(line.find_first_not_of(blanks), line.size()));
      after_comma = line.starts_with(',');
      if (after_comma) line.remove_prefix(1);
    }
  }

  static bool names_columns(const std::vector<std::string_view>& fields) {
    return std::equal(fields.begin(), fields.end(), columns.begin(), columns.end());
  }

  double number(std::string_view text) const {
    double value = 0;
    const auto error = programs::number(text, value);
    if (error == std::errc::result_out_of_range)
      fail(fmt::format("'{}' is out of range", shown(text)));
    if (error != std::errc()) fail(fmt::format("'{}' is no number", shown(text)));
    return value;
  }

  const std::string& file_;
  std::string_view rest_;
  std::size_t line_ = 0;
  Snapshot snapshot_;
};

std::string text(const Snapshot& snapshot, bool csv) {
  std::string out = fmt::format("{}{}\n", csv ? "" : "# ", fmt::join(columns, csv ? "," : " "));
  if (!csv) out = fmt::format("# time {}\n", snapshot.time) + out;
  const char* format = csv ? "{},{},{},{},{},{},{}\n" : "{} {} {} {} {} {} {}\n";
  for (const auto& b : snapshot.bodies)
    fmt::format_to(std::back_inserter(out), fmt::runtime(format), b.mass, b.position.x,
                   b.position.y, b.position.z, b.velocity.x, b.velocity.y, b.velocity.z);
  return out;
}

// ---- Tipsy: a head, then gas, dark matter and stars, of 12, 9 and 11 floats --------------------
// All begin with mass, position and velocity.

template <class T>
T swapped(T value) {
  auto bytes = std::bit_cast<std::array<std::byte, sizeof(T)>>(value);
  std::reverse(bytes.begin(), bytes.end());
  return std::bit_cast<T>(bytes);
}

class TipsyReader {
 public:
  TipsyReader(const std::string& file, std::string_view content) : file_(file), content_(content) {}

  Snapshot read() {
    if (content_.size() < short_head) fail("it is too short for a Tipsy file");
    constexpr std::size_t dimensions_at = 12;
    swap_ = get<std::int32_t>(dimensions_at) != 3;
    if (get<std::int32_t>(dimensions_at) != 3) fail("it is no Tipsy file of three dimensions");
    constexpr std::size_t counts_at = 16;
    constexpr std::array<std::size_t, 3> floats{12, 9, 11};
    std::array<std::size_t, 3> counts{};
    std::size_t size = 0;
    for (std::size_t kind = 0; kind < 3; ++kind) {
      const auto count = get<std::int32_t>(counts_at + 4 * kind);
      if (count < 0) fail("it has a negative number of particles");
      counts[kind] = static_cast<std::size_t>(count);
      size += counts[kind] * floats[kind] * sizeof(float);
    }
    // Some writers leave out the head's padding.
    if (content_.size() != size + short_head && content_.size() != size + head)
      fail(fmt::format("its head speaks of {} bytes of particles, and {} are there", size,
                       content_.size() - short_head));
    std::size_t at = content_.size() - size;
    snapshot_.time = get<double>(0);
    if (!std::isfinite(snapshot_.time)) fail("its time is infinite or not a number");
    for (std::size_t kind = 0; kind < 3; ++kind)
      for (std::size_t i = 0; i < counts[kind]; ++i, at += floats[kind] * sizeof(float))
        read_body(at);
    return std::move(snapshot_);
  }

 private:
  static constexpr std::size_t short_head = 28;
  static constexpr std::size_t head = 32;

  [[noreturn]] void fail(const std::string& cause) const {
    throw BadInput(fmt::format("{}: {}", file_, cause));
  }

  template <class T>
  T get(std::size_t at) const {
    T value;
    std::memcpy(&value, content_.data() + at, sizeof value);
    return swap_ ? swapped(value) : value;
  }

  void read_body(std::size_t at) {
    const auto vec = [&](std::size_t from) -> Vec {
      return {get<float>(from), get<float>(from + 4), get<float>(from + 8)};
    };
    Body body;
    body.mass = get<float>(at);
    body.position = vec(at + 4);
    body.velocity = vec(at + 16);
    if (const auto cause = fault(body); !cause.empty())
      fail(fmt::format("particle {}: {}", snapshot_.bodies.size() + 1, cause));
    snapshot_.bodies.push_back(body);
  }

  const std::string& file_;
  std::string_view content_;
  bool swap_ = false;
  Snapshot snapshot_;
};

std::string tipsy(const std::string& file, const Snapshot& snapshot) {
  std::string out;
  const auto put = [&out](auto value) {
    if constexpr (std::endian::native == std::endian::little) value = swapped(value);
    out.append(reinterpret_cast<const char*>(&value), sizeof value);
  };
  const auto count = static_cast<std::int32_t>(snapshot.bodies.size());
  put(snapshot.time);
  for (const std::int32_t value : {count, 3, 0, count, 0, 0}) put(value);
  for (const auto& b : snapshot.bodies)
    for (const double value : {b.mass, b.position.x, b.position.y, b.position.z, b.velocity.x,
                               b.velocity.y, b.velocity.z, 0.0 /* softening */, b.potential}) {
      if (std::abs(value) > std::numeric_limits<float>::max())
        throw BadInput(fmt::format("{}: {} is too large for Tipsy's single precision; write text",
                                   file, value));
      put(static_cast<float>(value));
    }
  return out;
}

}  // namespace

Snapshot read_bodies(const std::string& file) {
  const std::string content = programs::read_file(file);
  Snapshot snapshot =
      is_tipsy(file) ? TipsyReader(file, content).read() : TextReader(file, content).read();
  if (snapshot.bodies.empty()) throw BadInput(file + ": there are no bodies in it");
  for (std::size_t i = 0; i < snapshot.bodies.size(); ++i) snapshot.bodies[i].place = i;
  return snapshot;
}

void write_bodies(const std::string& file, const Snapshot& snapshot) {
  const std::string content =
      is_tipsy(file) ? tipsy(file, snapshot) : text(snapshot, file.ends_with(".csv"));
  std::ofstream out(file, std::ios::binary);
  out << content << std::flush;
  if (!out) throw BadInput(fmt::format("{}: {}", file, std::generic_category().message(errno)));
}

}  // namespace bh
