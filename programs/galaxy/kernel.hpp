// The force loops: what all of a list do to some stars.
#pragma once

#include <algorithm>
#include <cstddef>

#include "programs/common/plain.hpp"

namespace galaxy {

/// Stars and cells that act on a group.
class List {
 public:
  void clear() { size_ = 0; }
  std::size_t size() const { return size_; }
  const float* x() const { return x_.data(); }
  const float* y() const { return y_.data(); }
  const float* mass() const { return mass_.data(); }

  /// Room for so many more.
  void reserve_more(std::size_t count) {
    if (size_ + count <= x_.size()) return;
    for (auto* row : {&x_, &y_, &mass_}) row->resize(2 * (size_ + count));
  }
  /// Where there is room.
  void add(float x, float y, float mass) {
    x_[size_] = x;
    y_[size_] = y;
    mass_[size_++] = mass;
  }
  /// Stars that follow each other, where there is room.
  void add(const float* x, const float* y, const float* mass, std::size_t count) {
    std::copy_n(x, count, &x_[size_]);
    std::copy_n(y, count, &y_[size_]);
    std::copy_n(mass, count, &mass_[size_]);
    size_ += count;
  }

 private:
  std::size_t size_ = 0;
  programs::Plain<float> x_, y_, mass_;
};

/// The stars of a group: where they are, and what pulls them.
struct Targets {
  programs::Plain<float> x, y, ax, ay;

  /// Room for so many, and for as many more as the loops touch.
  void resize(std::size_t count);
};

/// Pulls of the list on all targets, without the constant of gravity, by the widest vectors that
/// this processor has. Each lane has a star and goes through the list in order, and nothing in the
/// loops but additions, multiplications and integers: so all processors give the same bits.
void sum(const List& list, Targets& targets);

}  // namespace galaxy
