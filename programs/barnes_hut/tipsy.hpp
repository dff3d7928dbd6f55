// Bodies in Tipsy's binary format: a head, then gas, dark matter and stars, of 12, 9 and 11 floats;
// all begin with mass, position and velocity. Of either byte order; all kinds count alike. Written
// as big endian dark matter. All of it in parts.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "programs/barnes_hut/bodies.hpp"

namespace bh {

inline constexpr std::size_t tipsy_head_bytes = 32;

struct TipsyHead {
  double time = 0;
  std::array<std::uint64_t, 3> counts{};  ///< of each kind
  std::uint64_t begin = 0;                ///< of the first particle
  bool swap = false;                      ///< the other byte order

  std::uint64_t bodies() const { return counts[0] + counts[1] + counts[2]; }
};

/// Of a file of so many bytes, from what it begins with. Throws programs::BadInput.
TipsyHead tipsy_head(const std::string& file, std::string_view begin, std::uint64_t bytes);

/// Where in the file some particles begin and end.
std::pair<std::uint64_t, std::uint64_t> tipsy_bytes(const TipsyHead& head, std::uint64_t from,
                                                    std::uint64_t to);
/// These, from these bytes.
Bodies tipsy_bodies(std::string_view bytes, const TipsyHead& head, std::uint64_t from,
                    std::uint64_t to);

/// What is wrong with a particle, counted from 1; 0: nothing.
struct TipsyFault {
  std::uint64_t particle = 0;
  std::string cause;
};
TipsyFault fault_in(const Body& body);
TipsyFault first_of(const TipsyFault& a, const TipsyFault& b);
/// Throws programs::BadInput.
void check_particles(const std::string& file, const TipsyFault& first);

/// The largest number of a body.
double size_for_tipsy(const Body& body);
double larger(double a, double b);
/// Throws programs::BadInput where numbers of this size don't fit.
void check_fits_tipsy(const std::string& file, double size);
/// The head, which tells of `count` bodies, stands before body 0.
std::string tipsy_of(const Bodies& bodies, std::uint64_t count, double time);

}  // namespace bh
