#include "programs/barnes_hut/hilbert.hpp"

#include <algorithm>
#include <array>
#include <bit>

namespace bh {
namespace {

// How the curve lies in a cell: the octant where it enters and the axis along which it leaves
// (Hamilton and Rau-Chaplin 2008, Compact Hilbert indices, section 2).
struct Turn {
  unsigned entry;
  unsigned axis;
};

constexpr unsigned rotate_right(unsigned octant, unsigned by) {
  return by % 3 == 0 ? octant : ((octant >> by % 3) | (octant << (3 - by % 3))) & 7U;
}
constexpr unsigned rotate_left(unsigned octant, unsigned by) {
  return rotate_right(octant, 3 - by % 3);
}
constexpr unsigned gray(unsigned i) {
  return i ^ (i >> 1U);
}
constexpr unsigned from_gray(unsigned g) {
  return g ^ (g >> 1U) ^ (g >> 2U);
}

constexpr Turn turn_in(Turn turn, unsigned digit) {
  const unsigned entry = digit == 0 ? 0 : gray(2 * ((digit - 1) / 2));
  const unsigned axis =
      digit == 0 ? 0 : static_cast<unsigned>(std::countr_one(digit % 2 == 0 ? digit - 1 : digit));
  return {turn.entry ^ rotate_left(entry, turn.axis + 1), (turn.axis + axis % 3 + 1) % 3};
}

struct Step {
  std::uint8_t digit;  // place of the octant on the curve
  std::uint8_t turn;   // how the curve lies in it: 3 * entry + axis
};

constexpr auto steps = [] {
  std::array<std::array<Step, 8>, 24> table{};
  for (unsigned state = 0; state < 24; ++state)
    for (unsigned octant = 0; octant < 8; ++octant) {
      const Turn turn{state / 3, state % 3};
      const unsigned digit = from_gray(rotate_right(octant ^ turn.entry, turn.axis + 1));
      const Turn next = turn_in(turn, digit);
      table[state][octant] = {static_cast<std::uint8_t>(digit),
                              static_cast<std::uint8_t>(3 * next.entry + next.axis)};
    }
  return table;
}();

// Three levels at a time; their digits, then the turn in the lowest five bits.
constexpr unsigned turn_bits = 5;

constexpr auto triple_steps = [] {
  std::array<std::array<std::uint16_t, 512>, 24> table{};
  for (unsigned state = 0; state < 24; ++state)
    for (unsigned octants = 0; octants < 512; ++octants) {
      const Step outer = steps[state][octants >> 6U];
      const Step middle = steps[outer.turn][octants >> 3U & 7U];
      const Step inner = steps[middle.turn][octants & 7U];
      const unsigned digits = outer.digit << 6U | middle.digit << 3U | inner.digit;
      table[state][octants] = static_cast<std::uint16_t>(digits << turn_bits | inner.turn);
    }
  return table;
}();

// Each of the lowest 21 bits gets two zeroes before it.
std::uint64_t spread(std::uint64_t bits) {
  bits = (bits | bits << 32U) & 0x1f00000000ffffU;
  bits = (bits | bits << 16U) & 0x1f0000ff0000ffU;
  bits = (bits | bits << 8U) & 0x100f00f00f00f00fU;
  bits = (bits | bits << 4U) & 0x10c30c30c30c30c3U;
  return (bits | bits << 2U) & 0x1249249249249249U;
}

std::uint64_t coordinate(double unit) {
  constexpr double last = (1U << key_levels) - 1;
  const double cell = unit * (last + 1);
  return static_cast<std::uint32_t>(cell > 0 ? std::min(cell, last) : 0);  // 0 for NaN
}

}  // namespace

std::uint64_t hilbert_key(Vec unit) {
  const std::uint64_t octants = spread(coordinate(unit.x)) << 2U |
                                spread(coordinate(unit.y)) << 1U | spread(coordinate(unit.z));
  static_assert(key_levels % 3 == 0);
  std::uint64_t key = 0;
  unsigned turn = 0;
  for (int shift = 3 * (key_levels - 3); shift >= 0; shift -= 9) {
    const unsigned step = triple_steps[turn][(octants >> static_cast<unsigned>(shift)) % 512];
    key = key << 9U | step >> turn_bits;
    turn = step % (1U << turn_bits);
  }
  return key;
}

}  // namespace bh
