// Each element from those around it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <ranges>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include <trawl/dist/map.hpp>

namespace trawl {

/// What a stencil sees before the first element and behind the last.
enum class Edge : std::uint8_t {
  repeated,  ///< that one again
  wrapped,   ///< the other end: the sequence is a ring
  nothing,   ///< T()
};

/// How far a stencil looks.
struct Halo {
  std::size_t width = 1;       ///< elements on each side
  Edge edge = Edge::repeated;  ///< and where there are no more
};

/// What a stencil's function is given: `around[0]` is the element, `around[-1]` and `around[1]` lie
/// beside it, and so on, as far as its halo goes.
template <class T>
class Around {
 public:
  /// Numbers and the like lie in a row; of larger elements only where each lies does.
  static constexpr bool in_a_row = std::is_trivially_copyable_v<T> && sizeof(T) <= 64;
  /// The runtime's.
  using Held = std::conditional_t<in_a_row, T, const T*>;

  /// The element so far to the right.
  const T& operator[](std::ptrdiff_t offset) const {
    if constexpr (in_a_row)
      return at_[offset];
    else
      return *at_[offset];
  }

  /// The runtime's.
  explicit Around(const Held* at) : at_(at) {}

 private:
  const Held* at_;
};

namespace detail {

/// A shard's ends, for its neighbours: all of it if it is no longer. They travel along with it, and
/// are looked at where they are.
template <class T>
struct Rim {
  Lazy<std::vector<T>> first;
  Lazy<std::vector<T>> last;
};

template <class T, Halo H>
Rim<T> rim_of(const Lazy<Shard<T>>& shard) {
  const std::span<const T> elements(force(force(shard).elements));
  const auto width = std::min(H.width, elements.size());
  const auto copy = [](std::span<const T> some) {
    return Made<T>(some).template alone<heap::Stay::no>();
  };
  return {copy(elements.first(width)), copy(elements.last(width))};
}

enum class Side : bool { before, behind };

/// What lies on one side of a shard, the nearest first, as wide as the halo: of its neighbours,
/// round a ring several times even; then `last`, the shard's own last element there, or `nothing`.
template <class T, Halo H>
std::vector<const T*> halo_of(const std::vector<Lazy<Rim<T>>>& rims, std::size_t shard, Side side,
                              const T& last, const T& nothing) {
  const auto count = rims.size();
  const auto there = H.edge == Edge::wrapped ? SIZE_MAX
                     : side == Side::before  ? shard
                                             : count - 1 - shard;
  std::vector<const T*> halo;
  const auto add = [&halo](const T& x) {
    if (halo.size() < H.width) halo.push_back(&x);
  };
  for (std::size_t step = 1; halo.size() < H.width && step <= there; ++step) {
    const auto away = step % count;
    const auto& rim =
        force(rims[side == Side::before ? (shard + count - away) % count : (shard + away) % count]);
    if (side == Side::before)
      std::ranges::for_each(force(rim.last) | std::views::reverse, add);
    else
      std::ranges::for_each(force(rim.first), add);
    if (step == count && halo.empty()) break;
  }
  const T* const edge = H.edge == Edge::nothing ? &nothing : halo.empty() ? &last : halo.back();
  halo.resize(H.width, edge);
  return halo;
}

/// Elements and what lies on both sides of them, in a row.
template <class T>
std::vector<typename Around<T>::Held> in_row(std::span<const T* const> before_backwards,
                                             std::span<const T> elements,
                                             std::span<const T* const> behind) {
  std::vector<typename Around<T>::Held> row;
  row.reserve(before_backwards.size() + elements.size() + behind.size());
  const auto add = [&row](const T& x) {
    if constexpr (Around<T>::in_a_row)
      row.push_back(x);
    else
      row.push_back(&x);
  };
  for (const T* x : before_backwards | std::views::reverse) add(*x);
  std::ranges::for_each(elements, add);
  for (const T* x : behind) add(*x);
  return row;
}

/// Calls `visit(at, begin, end)` for stretches that make up the shard: `at` is where the element
/// `begin` lies, with all that is seen from there up to `end` in a row. What lies in a row already
/// is not copied, but for the ends.
template <class T, Halo H, class Visit>
void each_stretch(std::span<const T* const> before, std::span<const T> elements,
                  std::span<const T* const> behind, Visit visit) {
  constexpr auto width = H.width;
  const auto count = elements.size();
  if (!Around<T>::in_a_row || count / 4 < width) {
    visit(in_row<T>(before, elements, behind).data() + width, std::size_t{0}, count);
    return;
  }
  if constexpr (Around<T>::in_a_row) {
    visit(in_row<T>(before, elements.first(2 * width), {}).data() + width, std::size_t{0}, width);
    visit(elements.data() + width, width, count - width);
    visit(in_row<T>({}, elements.last(2 * width), behind).data() + width, count - width, count);
  }
}

template <auto F, Halo H, class R, class T, class... Stored>
Shard<R> stencil_shard(std::size_t shard, const Lazy<Shard<T>>& source,
                       const Lazy<std::vector<Lazy<Rim<T>>>>& rims, const Stored&... stored) {
  return in_shard("stencil", function_name<F>(), shard, [&] {
    const auto& elements = force(force(source).elements);
    if (elements.empty()) return Made<R>(std::size_t{0}).shard();
    const T nothing{};
    const auto before = halo_of<T, H>(force(rims), shard, Side::before, elements.front(), nothing);
    const auto behind = halo_of<T, H>(force(rims), shard, Side::behind, elements.back(), nothing);
    Made<R> made(elements.size());
    with_opened(
        elements.size(), shard,
        [&](const auto&... opened) {
          each_stretch<T, H>(
              before, elements, behind,
              [&](const typename Around<T>::Held* at, std::size_t begin, std::size_t end) {
                each_element<F>("stencil", shard, begin, end, [&](std::size_t i) {
                  made.add(F(Around<T>(at + (i - begin)), opened.at(i)...));
                });
              });
        },
        stored...);
    return std::move(made).shard();
  });
}

}  // namespace detail

/// `f(around, args...)` for each element, where `around` gives it and those beside it
/// (`stencil<f, Halo{2}>(d)`: two on each side). Shards exchange their ends only. Rows may be
/// elements: then it is a stencil in two dimensions. Arguments as of `map`.
template <auto F, Halo H = Halo{}, class T, class... A>
auto stencil(const Dist<T>& d, const A&... args) {
  using namespace detail;
  if constexpr (gives_element<F, Around<T>, element_argument<stored_type<A>>...>()) {
    using R = std::decay_t<
        std::invoke_result_t<decltype(F), Around<T>, element_argument<stored_type<A>>...>>;
    const auto& source = d.parts();
    std::vector<Lazy<Rim<T>>> rims;
    for (const auto& shard : source.shards) rims.push_back(lazy_placed<&rim_of<T, H>>(shard));
    start(rims, source.places);
    return made_by<&stencil_shard<F, H, R, T, stored_type<A>...>, R>(
        source, Lazy<std::vector<Lazy<Rim<T>>>>(rims), args...);
  } else {
    return Refused();
  }
}

}  // namespace trawl
