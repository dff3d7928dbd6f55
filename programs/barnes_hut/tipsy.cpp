#include "programs/barnes_hut/tipsy.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "programs/common/bad_input.hpp"

namespace bh {
namespace {

using programs::BadInput;

template <class T>
T swapped(T value) {
  auto bytes = std::bit_cast<std::array<std::byte, sizeof(T)>>(value);
  std::reverse(bytes.begin(), bytes.end());
  return std::bit_cast<T>(bytes);
}

constexpr std::size_t tipsy_short_head = 28;
constexpr std::array<std::size_t, 3> tipsy_floats{12, 9, 11};

template <class T>
T get(std::string_view bytes, std::size_t at, bool swap) {
  T value;
  std::memcpy(&value, bytes.data() + at, sizeof value);
  return swap ? swapped(value) : value;
}

Body tipsy_body(std::string_view bytes, std::size_t at, bool swap) {
  const auto vec = [&](std::size_t from) -> Vec {
    return {get<float>(bytes, from, swap), get<float>(bytes, from + 4, swap),
            get<float>(bytes, from + 8, swap)};
  };
  Body body;
  body.mass = get<float>(bytes, at, swap);
  body.position = vec(at + 4);
  body.velocity = vec(at + 16);
  return body;
}

/// Of particle `i`: where it begins, and what kind it is of.
std::pair<std::uint64_t, std::size_t> tipsy_place(const TipsyHead& head, std::uint64_t i) {
  auto at = head.begin;
  std::size_t kind = 0;
  for (; kind < 2 && i >= head.counts[kind]; ++kind) {
    i -= head.counts[kind];
    at += head.counts[kind] * tipsy_floats[kind] * sizeof(float);
  }
  return {at + i * tipsy_floats[kind] * sizeof(float), kind};
}

template <class Use>
void each_number(const Body& b, Use use) {
  for (const double value : {b.mass, b.position.x, b.position.y, b.position.z, b.velocity.x,
                             b.velocity.y, b.velocity.z, 0.0 /* softening */, b.potential})
    use(value);
}

}  // namespace

TipsyHead tipsy_head(const std::string& file, std::string_view begin, std::uint64_t bytes) {
  const auto fail = [&file](const std::string& cause) {
    throw BadInput(fmt::format("{}: {}", file, cause));
  };
  if (bytes < tipsy_short_head) fail("it is too short for a Tipsy file");
  TipsyHead head;
  constexpr std::size_t dimensions_at = 12;
  head.swap = get<std::int32_t>(begin, dimensions_at, false) != 3;
  if (get<std::int32_t>(begin, dimensions_at, head.swap) != 3)
    fail("it is no Tipsy file of three dimensions");
  constexpr std::size_t counts_at = 16;
  std::uint64_t size = 0;
  for (std::size_t kind = 0; kind < 3; ++kind) {
    const auto count = get<std::int32_t>(begin, counts_at + 4 * kind, head.swap);
    if (count < 0) fail("it has a negative number of particles");
    head.counts[kind] = static_cast<std::uint64_t>(count);
    size += head.counts[kind] * tipsy_floats[kind] * sizeof(float);
  }
  // Some writers leave out the head's padding.
  if (bytes != size + tipsy_short_head && bytes != size + tipsy_head_bytes)
    fail(fmt::format("its head speaks of {} bytes of particles, and {} are there", size,
                     bytes - tipsy_short_head));
  head.begin = bytes - size;
  head.time = get<double>(begin, 0, head.swap);
  if (!std::isfinite(head.time)) fail("its time is infinite or not a number");
  if (head.bodies() == 0) fail("there are no bodies in it");
  return head;
}

std::pair<std::uint64_t, std::uint64_t> tipsy_bytes(const TipsyHead& head, std::uint64_t from,
                                                    std::uint64_t to) {
  return {tipsy_place(head, from).first, tipsy_place(head, to).first};
}

Bodies tipsy_bodies(std::string_view bytes, const TipsyHead& head, std::uint64_t from,
                    std::uint64_t to) {
  Bodies bodies;
  bodies.reserve(static_cast<std::size_t>(to - from));
  const auto begin = tipsy_place(head, from).first;
  for (auto i = from; i < to; ++i) {
    const auto at = static_cast<std::size_t>(tipsy_place(head, i).first - begin);
    bodies.push_back(tipsy_body(bytes, at, head.swap));
    bodies.back().place = static_cast<std::uint32_t>(i);
  }
  return bodies;
}

TipsyFault fault_in(const Body& body) {
  auto cause = fault(body);
  if (cause.empty()) return {};
  return {body.place + std::uint64_t{1}, std::move(cause)};
}

TipsyFault first_of(const TipsyFault& a, const TipsyFault& b) {
  return a.particle != 0 ? a : b;
}

void check_particles(const std::string& file, const TipsyFault& first) {
  if (first.particle != 0)
    throw BadInput(fmt::format("{}: particle {}: {}", file, first.particle, first.cause));
}

double size_for_tipsy(const Body& body) {
  double size = 0;
  each_number(body, [&size](double value) { size = std::max(size, std::abs(value)); });
  return size;
}

double larger(double a, double b) {
  return std::max(a, b);
}

void check_fits_tipsy(const std::string& file, double size) {
  if (size > std::numeric_limits<float>::max())
    throw BadInput(
        fmt::format("{}: {} is too large for Tipsy's single precision; write text", file, size));
}

std::string tipsy_of(const Bodies& bodies, std::uint64_t count, double time) {
  std::string out;
  const auto put = [&out](auto value) {
    if constexpr (std::endian::native == std::endian::little) value = swapped(value);
    out.append(reinterpret_cast<const char*>(&value), sizeof value);
  };
  if (!bodies.empty() && bodies.front().place == 0) {
    const auto all = static_cast<std::int32_t>(count);
    put(time);
    for (const std::int32_t value : {all, 3, 0, all, 0, 0}) put(value);
  }
  for (const auto& b : bodies)
    each_number(b, [&put](double value) { put(static_cast<float>(value)); });
  return out;
}

}  // namespace bh
