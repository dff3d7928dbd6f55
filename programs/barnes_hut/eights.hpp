// Filling the lists of walk.hpp from octets, eight cells or bodies at once. Included, after
// walk.hpp, by the files for vectors of eight and more floats.
#pragma once

#include <immintrin.h>

#include "programs/barnes_hut/walk.hpp"

namespace bh {
namespace {

/// `Lanes` gives `relative`, eight numbers less another in single precision, and `compressed`,
/// which moves those that a mask takes to the front.
template <class Lanes>
struct Eights {
  static unsigned append_taken(const Octet& octet, const OctetQuadrupoles* quadrupoles,
                               const Group& group, List& list) {
    const __m256 x = Lanes::relative(octet.x.data(), group.x);
    const __m256 y = Lanes::relative(octet.y.data(), group.y);
    const __m256 z = Lanes::relative(octet.z.data(), group.z);
    const __m256 dx = beyond(x, group.dx);
    const __m256 dy = beyond(y, group.dy);
    const __m256 dz = beyond(z, group.dz);
    const unsigned used = (1U << octet.cells) - 1;
    const __m256 far = _mm256_cmp_ps(dx * dx + dy * dy + dz * dz,
                                     _mm256_loadu_ps(octet.opening2.data()), _CMP_GT_OQ);
    const unsigned taken = used & static_cast<unsigned>(_mm256_movemask_ps(far));
    const auto append = [&](std::size_t field, __m256 values) {
      _mm256_storeu_ps(list.end(field), Lanes::compressed(taken, values));
    };
    append(field_x, x);
    append(field_y, y);
    append(field_z, z);
    append(field_mass, _mm256_loadu_ps(octet.mass.data()));
    if (quadrupoles != nullptr)
      for (std::size_t i = 0; i < 6; ++i)
        append(field_quadrupole + i, _mm256_loadu_ps((*quadrupoles)[i].data()));
    list.add(static_cast<std::size_t>(__builtin_popcount(taken)));
    return used & ~taken;
  }

  static void append_bodies(const Places& from, std::size_t begin, const Group& group, List& list) {
    _mm256_storeu_ps(list.end(field_x), Lanes::relative(from.x + begin, group.x));
    _mm256_storeu_ps(list.end(field_y), Lanes::relative(from.y + begin, group.y));
    _mm256_storeu_ps(list.end(field_z), Lanes::relative(from.z + begin, group.z));
    _mm256_storeu_ps(list.end(field_mass), Lanes::relative(from.mass + begin, 0));
  }

 private:
  /// How far beyond the group's box.
  static __m256 beyond(__m256 x, float half) {
    const __m256 size = _mm256_andnot_ps(_mm256_set1_ps(-0.F), x);
    return _mm256_max_ps(size - half, _mm256_setzero_ps());
  }
};

}  // namespace
}  // namespace bh
