// The skeletons on one core, by plain loops: what a program's answers can be compared with.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include <trawl/dist/cuts.hpp>
#include <trawl/dist/essential.hpp>
#include <trawl/dist/shares.hpp>
#include <trawl/dist/weights.hpp>

namespace trawl {

/// What a Dist is on one core: the same shards, here. A function template that is given one or a
/// Dist computes the same bits. Skeletons compute at once, with plain values as arguments; what a
/// function throws comes as it is.
template <class T>
class Sequence {
 public:
  using value_type = T;  ///< of an element

  /// Of no elements.
  Sequence() = default;
  /// Of these, in the shards in which `generate` would have made as many.
  explicit Sequence(const std::vector<T>& all) {
    const auto count = detail::shard_count(all.size());
    for (std::size_t i = 0; i < count; ++i) {
      const auto at = [&](std::size_t shard) {
        return all.begin() +
               static_cast<std::ptrdiff_t>(detail::shard_begin(all.size(), count, shard));
      };
      shards_.emplace_back(at(i), at(i + 1));
    }
  }
  /// The runtime's.
  explicit Sequence(std::vector<std::vector<T>> shards) : shards_(std::move(shards)) {}

  /// How many elements.
  std::size_t size() const {
    std::size_t sum = 0;
    for (const auto& shard : shards_) sum += shard.size();
    return sum;
  }
  /// The shards, one after the other.
  const std::vector<std::vector<T>>& shards() const noexcept { return shards_; }

 private:
  std::vector<std::vector<T>> shards_;
};

/// `make(0, args...)`, ..., `make(n - 1, args...)`.
template <auto Make, class... A>
auto sequence(std::uint64_t n, const A&... args) {
  if constexpr (detail::takes<Make, std::size_t, const A&...>()) {
    using R = std::decay_t<std::invoke_result_t<decltype(Make), std::size_t, const A&...>>;
    std::vector<R> all;
    all.reserve(static_cast<std::size_t>(n));
    for (std::size_t i = 0; i < n; ++i) all.push_back(Make(i, args...));
    return Sequence<R>(all);
  } else {
    return detail::Refused();
  }
}

/// As of a Dist.
template <auto F, class T, class... A>
auto map(const Sequence<T>& d, const A&... args) {
  if constexpr (detail::takes<F, const T&, const A&...>()) {
    using R = std::decay_t<std::invoke_result_t<decltype(F), const T&, const A&...>>;
    std::vector<std::vector<R>> shards;
    for (const auto& shard : d.shards()) {
      shards.emplace_back().reserve(shard.size());
      for (const auto& x : shard) shards.back().push_back(F(x, args...));
    }
    return Sequence<R>(std::move(shards));
  } else {
    return detail::Refused();
  }
}

/// As of a Dist.
template <auto F, class T, class... A>
auto map_shards(const Sequence<T>& d, const A&... args) {
  if constexpr (detail::takes<F, const std::vector<T>&, const A&...>()) {
    using Shards = std::vector<
        std::decay_t<std::invoke_result_t<decltype(F), const std::vector<T>&, const A&...>>>;
    Shards shards;
    for (const auto& shard : d.shards()) shards.push_back(F(shard, args...));
    return Sequence<typename Shards::value_type::value_type>(std::move(shards));
  } else {
    return detail::Refused();
  }
}

namespace detail {

/// Of one shard: nothing where it has no elements.
template <auto F, auto Combine, class T, class... A>
auto reduce_one(const std::vector<T>& shard, const A&... args) {
  if constexpr (std::is_invocable_v<decltype(F), const T&, const A&...>) {
    std::optional<std::decay_t<std::invoke_result_t<decltype(F), const T&, const A&...>>> sum;
    for (const auto& x : shard)
      if (sum)
        sum = Combine(*std::as_const(sum), F(x, args...));
      else
        sum.emplace(F(x, args...));
    return sum;
  } else {
    using Shard = const std::vector<T>&;
    std::optional<std::decay_t<std::invoke_result_t<decltype(F), Shard, const A&...>>> sum;
    if (!shard.empty()) sum.emplace(F(shard, args...));
    return sum;
  }
}

/// The tree of `reduction_tree`.
template <auto F, auto Combine, class T, class... A>
auto reduce_here(const Sequence<T>& d, std::size_t begin, std::size_t end, const A&... args)
    -> decltype(reduce_one<F, Combine>(d.shards()[begin], args...)) {
  if (end - begin == 1) return reduce_one<F, Combine>(d.shards()[begin], args...);
  const auto middle = begin + (end - begin) / 2;
  auto left = reduce_here<F, Combine>(d, begin, middle, args...);
  auto right = reduce_here<F, Combine>(d, middle, end, args...);
  if (!left) return right;
  if (right) left = Combine(*std::as_const(left), *std::as_const(right));
  return left;
}

}  // namespace detail

/// As of a Dist; gives the value.
template <auto F, auto Combine, class T, class... A>
auto reduce(const Sequence<T>& d, const A&... args) {
  using Value = typename decltype(detail::reduce_here<F, Combine>(d, 0, 1, args...))::value_type;
  if (d.shards().empty()) return Value();
  return detail::reduce_here<F, Combine>(d, 0, d.shards().size(), args...).value_or(Value());
}

/// As of a Dist.
template <auto Combine, class T, class U>
Sequence<T> scan(const Sequence<T>& d, const U& unit) {
  T before = static_cast<T>(unit);
  std::vector<std::vector<T>> shards;
  for (const auto& shard : d.shards()) {
    auto& scanned = shards.emplace_back();
    scanned.reserve(shard.size());
    T sum = before;
    for (const auto& x : shard) scanned.push_back(sum = Combine(std::as_const(sum), x));
    if (shard.empty()) continue;
    T own = shard.front();
    for (std::size_t i = 1; i < shard.size(); ++i) own = Combine(std::as_const(own), shard[i]);
    before = Combine(std::as_const(before), std::as_const(own));
  }
  return Sequence<T>(std::move(shards));
}

namespace detail {

template <class By, class Weigh, class T>
Sequence<T> sort_by(const Sequence<T>& d) {
  const auto& old = d.shards();
  const auto count = old.size();
  std::vector<std::vector<Rank<By, T>>> ranks;
  std::vector<Sample<KeyOf<By, T>>> samples;
  for (std::size_t i = 0; i < count; ++i) {
    ranks.push_back(ranked<By, T>(old[i]));
    const auto some = regular_samples<Weigh, By, T>(ranks[i], i, samples_of(count));
    samples.insert(samples.end(), some.begin(), some.end());
  }
  const auto cuts = splitters<By, T>(std::move(samples), count);
  std::vector<std::vector<std::uint64_t>> ends;
  for (std::size_t i = 0; i < count; ++i) ends.push_back(cut_ends<By, T>(ranks[i], i, cuts, count));
  std::vector<std::vector<T>> shards;
  for (std::size_t to = 0; to < count; ++to) {
    std::vector<Rank<By, T>> merged;
    std::vector<std::size_t> merged_ends{0};
    for (std::size_t i = 0; i < count; ++i) {
      const auto at = [&](std::uint64_t end) {
        return ranks[i].begin() + static_cast<std::ptrdiff_t>(end);
      };
      merged.insert(merged.end(), at(to == 0 ? 0 : ends[i][to - 1]), at(ends[i][to]));
      merged_ends.push_back(merged.size());
    }
    merge_stretches<By, T>(merged, merged_ends);
    shards.emplace_back().reserve(merged.size());
    for (const auto& rank : merged) shards.back().push_back(element_of<By, T>(rank));
  }
  return Sequence<T>(std::move(shards));
}

}  // namespace detail

/// As of a Dist.
template <auto F = std::less<>{}, class T, class Weigh = ByCount>
Sequence<T> sort(const Sequence<T>& d, Weigh = {}) {
  if constexpr (detail::sorts<F, T>() && detail::weighs_in_sort<Weigh, T>())
    return detail::sort_by<detail::SortBy<F>, Weigh>(d);
  else
    return d;
}

/// As of a Dist: there is no other place.
template <class T, class Weigh = ByCost>
const Sequence<T>& rebalance(const Sequence<T>& d, double = 1, Weigh = {}) {
  return d;
}

/// As of a Dist: it all lies here, so nobody asks for anything.
template <auto Describe, auto Select, auto Assemble, class T, class Hint, class... A>
auto essential(const Sequence<T>& d, const Hint&, const A&... args) {
  using D = std::decay_t<std::invoke_result_t<decltype(Describe), Portion<T>, const Hint&>>;
  using S = std::decay_t<std::invoke_result_t<decltype(Select), Portion<T>, const D&, const A&...>>;
  Portion<T> all;
  for (const auto& shard : d.shards()) all.emplace_back(shard);
  return Assemble(all, std::vector<Lazy<S>>(), args...);
}

/// All elements.
template <class T>
std::vector<T> collect(const Sequence<T>& d) {
  std::vector<T> all;
  all.reserve(d.size());
  for (const auto& shard : d.shards()) all.insert(all.end(), shard.begin(), shard.end());
  return all;
}

}  // namespace trawl
