// How cells and bodies are laid out: in octets, and in images. For who makes them.
#pragma once

#include <cstring>
#include <span>
#include <utility>

#include <trawl/numbers.hpp>

#include "programs/barnes_hut/tree.hpp"

namespace bh {

/// The square of the distance from which on a cell may act as a whole.
float opening_distance2(const Moments& m, const Settings& settings);

/// Adds a cell, whose place below is the caller's.
void put_cell(Octet& octet, OctetQuadrupoles* quadrupoles, const Moments& m,
              const Settings& settings);

/// Is it in an image, and not a part of the crown alone?
inline bool is_inside(const Cell& cell) {
  return cell.inside.children >= 0 || cell.inside.children == is_leaf;
}

/// So many of a row of an image.
std::size_t padded(std::size_t bodies);

/// What an image begins with. Then come octets, quadrupoles, and x, y, z and mass of the bodies.
struct ImageHead {
  std::uint64_t octets;
  std::uint64_t quadrupoles;
  std::uint64_t bodies;
  std::uint64_t unused;
};

/// An image whose bodies are still to be written, by rows.
class NewImage {
 public:
  NewImage(std::span<const Octet> octets, std::span<const OctetQuadrupoles> quadrupoles,
           std::size_t bodies)
      : row_(padded(bodies)),
        bytes_(trawl::numbers<unsigned char>(sizeof(ImageHead) + octets.size_bytes() +
                                             quadrupoles.size_bytes() +
                                             4 * row_ * sizeof(double))) {
    const ImageHead head{octets.size(), quadrupoles.size(), bodies, 0};
    unsigned char* to = bytes_.data();
    const auto put = [&to](const void* from, std::size_t size) {
      if (size != 0) std::memcpy(to, from, size);
      to += size;
    };
    put(&head, sizeof head);
    put(octets.data(), octets.size_bytes());
    put(quadrupoles.data(), quadrupoles.size_bytes());
    at_ = reinterpret_cast<double*>(to);
  }
  /// `mass` has its factor.
  void add(double x, double y, double z, double mass) {
    at_[0] = x;
    at_[row_] = y;
    at_[2 * row_] = z;
    at_[3 * row_] = mass;
    ++at_;
  }
  Image take() && { return std::move(bytes_); }

 private:
  std::size_t row_;
  Image bytes_;
  double* at_;
};

}  // namespace bh
