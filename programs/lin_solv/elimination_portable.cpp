// Elimination for any processor: sums of 128 bits.
#include "programs/lin_solv/elimination.hpp"

namespace lin_solv {
namespace {

class Portable {
 public:
  struct Vector {
    Word lane[lanes];
  };

  explicit Portable(const Field& field) : field_(field) {}

  static Vector load(const Word* from) {
    Vector v;
    for (std::size_t i = 0; i < lanes; ++i) v.lane[i] = from[i];
    return v;
  }
  static void store(Word* to, const Vector& v) {
    for (std::size_t i = 0; i < lanes; ++i) to[i] = v.lane[i];
  }
  static Vector broadcast(Word a) {
    Vector v;
    for (Word& lane : v.lane) lane = a;
    return v;
  }
  Vector multiply(Vector a, const Vector& b) const {
    for (std::size_t i = 0; i < lanes; ++i) a.lane[i] = field_.multiply(a.lane[i], b.lane[i]);
    return a;
  }
  Vector canonical(Vector a) const {
    for (Word& lane : a.lane) lane += static_cast<std::int64_t>(lane) < 0 ? field_.prime() : 0;
    return a;
  }
  Vector subtract(Vector a, const Vector& b) const {
    for (std::size_t i = 0; i < lanes; ++i) a.lane[i] = field_.subtract(a.lane[i], b.lane[i]);
    return a;
  }

  template <bool Keep>
  void subtract_products(Word* into, const Word* left, std::size_t left_step, const Word* right,
                         std::size_t count) const {
    alignas(64) Word result[block];
    for (std::size_t i = 0; i < block; ++i) result[i] = Keep ? into[i] : 0;
    while (count > 0) {
      const std::size_t some = count < most_blocks ? count : most_blocks;
      for (std::size_t row = 0; row < lanes; ++row)
        for (std::size_t column = 0; column < lanes; column += 4)
          subtract_sums(result + row * lanes + column, left + row * lanes, left_step,
                        right + column, some);
      left += some * left_step;
      right += some * block;
      count -= some;
    }
    for (std::size_t i = 0; i < block; ++i) into[i] = result[i];
  }

 private:
  static constexpr std::size_t most_blocks = 512;  // 2^12 products are what reduce() takes

  // Four neighbours in a row.
  void subtract_sums(Word* result, const Word* left, std::size_t left_step, const Word* right,
                     std::size_t count) const {
    DoubleWord a = 0, b = 0, c = 0, d = 0;
    for (std::size_t k = 0; k < count; ++k, left += left_step)
      for (std::size_t l = 0; l < lanes; ++l, right += lanes) {
        a += DoubleWord{left[l]} * right[0];
        b += DoubleWord{left[l]} * right[1];
        c += DoubleWord{left[l]} * right[2];
        d += DoubleWord{left[l]} * right[3];
      }
    result[0] = field_.subtract(result[0], field_.reduce(a));
    result[1] = field_.subtract(result[1], field_.reduce(b));
    result[2] = field_.subtract(result[2], field_.reduce(c));
    result[3] = field_.subtract(result[3], field_.reduce(d));
  }

  const Field field_;
};

}  // namespace

Word eliminate_portable(const Field& field, Grid grid) {
  return Elimination<Portable>(field, grid).run();
}

}  // namespace lin_solv
