// Sample sort by the workers of one PE (see dist/sort.hpp): parts are put in order, each then gives
// every bucket what is for it, and these are merged. Stable.
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <iterator>
#include <span>
#include <type_traits>
#include <vector>

#include <trawl/shared_loop.hpp>
#include <trawl/sorting.hpp>

namespace trawl::detail {

/// Is order that of numbers?
template <class T, class Less>
inline constexpr bool orders_numbers = Number<T> && (std::is_same_v<Less, std::less<>> ||
                                                     std::is_same_v<Less, std::less<T>> ||
                                                     std::is_same_v<Less, std::ranges::less>);

template <class Less>
struct OrderBy {
  Less& less;

  template <class T>
  bool operator()(const T& a, const T& b) const {
    if constexpr (orders_numbers<T, Less>)
      return bits_of(a) < bits_of(b);  // of what is no number too
    else
      return less(a, b);
  }
  template <class T>
  requires(orders_numbers<T, Less>) auto bits(const T& x) const { return bits_of(x); }
};

/// All of them, moved to where there is room; by all workers what is copied as bytes.
template <class T>
auto moved_out(std::span<T> xs, std::size_t parts) {
  if constexpr (heap::PointerFree<T> && std::is_trivially_copyable_v<T>) {
    auto copy = room_for<T>(xs.size());
    in_parts(parts, [&](std::size_t i) {
      const auto begin = part_begin(xs.size(), parts, i);
      std::ranges::copy(xs.subspan(begin, part_begin(xs.size(), parts, i + 1) - begin),
                        copy.begin() + static_cast<std::ptrdiff_t>(begin));
    });
    return copy;
  } else {
    return std::vector<T>(std::make_move_iterator(xs.begin()), std::make_move_iterator(xs.end()));
  }
}

/// Where elements for each bucket are.
class Buckets {
 public:
  /// `xs` lies in parts that are in order. There are as many buckets as parts: they end at elements
  /// that divide samples of all evenly, told apart by where they are if they are equal.
  template <class T, class Order>
  Buckets(std::span<const T> xs, std::size_t parts, const Order& order)
      : n_(xs.size()), parts_(parts), cuts_((parts + 1) * parts), begins_(parts + 1) {
    std::vector<std::size_t> samples;
    for (std::size_t i = 0; i < parts; ++i)
      for (std::size_t k = 1; k <= parts; ++k)
        samples.push_back(begin(i) + part_begin(begin(i + 1) - begin(i), parts, k) - 1);
    sort_places(samples, [&](std::size_t a, std::size_t b) { return order(xs[a], xs[b]); });
    in_parts(parts, [&](std::size_t i) { cut(xs, i, samples, order); });
    for (std::size_t b = 0; b < parts; ++b) {
      begins_[b + 1] = begins_[b];
      for (std::size_t i = 0; i < parts; ++i) begins_[b + 1] += run(b, i).size;
    }
  }

  struct Run {
    std::size_t begin;
    std::size_t size;
  };
  /// What part i has for bucket b.
  Run run(std::size_t b, std::size_t i) const {
    const auto at = b * parts_ + i;
    return {cuts_[at], cuts_[at + parts_] - cuts_[at]};
  }
  /// Bucket b, once all of it lies together.
  Run whole(std::size_t b) const { return {begins_[b], begins_[b + 1] - begins_[b]}; }
  /// Where its runs end, those that are not empty, counted from its own begin.
  std::vector<std::size_t> ends(std::size_t b) const {
    std::vector<std::size_t> all;
    std::size_t end = 0;
    for (std::size_t i = 0; i < parts_; ++i)
      if (run(b, i).size != 0) all.push_back(end += run(b, i).size);
    return all;
  }

 private:
  std::size_t begin(std::size_t part) const { return part_begin(n_, parts_, part); }

  template <class T, class Order>
  void cut(std::span<const T> xs, std::size_t i, const std::vector<std::size_t>& samples,
           const Order& order) {
    const auto its = xs.subspan(begin(i), begin(i + 1) - begin(i));
    cuts_[i] = begin(i);
    cuts_[parts_ * parts_ + i] = begin(i + 1);
    for (std::size_t b = 1; b < parts_; ++b) {
      const auto last = samples[b * parts_ - 1];
      auto& end = cuts_[b * parts_ + i];
      if (last < begin(i))
        end =
            begin(i) + static_cast<std::size_t>(
                           std::lower_bound(its.begin(), its.end(), xs[last], order) - its.begin());
      else if (last >= begin(i + 1))
        end =
            begin(i) + static_cast<std::size_t>(
                           std::upper_bound(its.begin(), its.end(), xs[last], order) - its.begin());
      else
        end = last + 1;
      end = std::max(end, cuts_[(b - 1) * parts_ + i]);  // `order` may contradict itself
    }
  }

  std::size_t n_;
  std::size_t parts_;
  std::vector<std::size_t> cuts_;  // of bucket b in part i: from [b * parts + i] to [(b + 1) * ...]
  std::vector<std::size_t> begins_;  // of buckets
};

/// Of at least so many elements as parts.
template <class T, class Order>
void sort_in_parts(std::span<T> xs, std::size_t parts, const Order& order) {
  in_parts(parts, [&](std::size_t i) {
    const auto begin = part_begin(xs.size(), parts, i);
    sort_run(xs.subspan(begin, part_begin(xs.size(), parts, i + 1) - begin), order);
  });
  const Buckets buckets(std::span<const T>(xs), parts, order);
  auto copy = moved_out(xs, parts);
  const auto in = [](std::span<T> elements, Buckets::Run run) {
    return elements.subspan(run.begin, run.size);
  };
  in_parts(parts, [&](std::size_t b) {
    auto to = in(xs, buckets.whole(b)).begin();
    for (std::size_t i = 0; i < parts; ++i)
      to = std::ranges::move(in(copy, buckets.run(b, i)), to).out;
  });
  // The copy is no longer needed: it is room.
  in_parts(parts, [&](std::size_t b) {
    const auto ends = buckets.ends(b);
    merge_runs(in(xs, buckets.whole(b)), std::span(ends), in(copy, buckets.whole(b)), order);
  });
}

}  // namespace trawl::detail
