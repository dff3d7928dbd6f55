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

/// The ends of the shards of a stretch, for those beside it: all of it if it is no longer. They
/// travel along with it, and are looked at where they are.
template <class T>
struct Rim {
  Lazy<std::vector<T>> first;
  Lazy<std::vector<T>> last;
};

template <class T>
using Shards = std::vector<Lazy<Shard<T>>>;

enum class Side : bool { before, behind };

/// Adds to `seen` what the shards [begin, end) show to one who is on that side of them, the nearest
/// first, up to `width` in all.
template <class T>
void look_into(const Shards<T>& shards, std::size_t begin, std::size_t end, Side side,
               std::size_t width, std::vector<const T*>& seen) {
  const auto add = [&](const auto& elements) {
    for (const T& x : elements)
      if (seen.size() < width)
        seen.push_back(&x);
      else
        return;
  };
  while (begin < end && seen.size() < width) {
    const std::span<const T> elements(
        force(force(shards[side == Side::before ? begin++ : --end]).elements));
    if (side == Side::before)
      add(elements);
    else
      add(elements | std::views::reverse);
  }
}

template <class T, Halo H>
Rim<T> rim_of(const Shards<T>& stretch) {
  const auto seen_from = [&](Side side) {
    std::vector<const T*> seen;
    look_into(stretch, 0, stretch.size(), side, H.width, seen);
    if (side == Side::behind) std::ranges::reverse(seen);
    Made<T> copies(seen.size());
    for (const T* x : seen) copies.add(*x);
    return std::move(copies).template alone<heap::Stay::no>();
  };
  return {seen_from(Side::before), seen_from(Side::behind)};
}

/// What the shards of a stretch see.
template <class T>
struct Surroundings {
  Shards<T> own;
  std::size_t first_own = 0;
  std::vector<Lazy<Rim<T>>> rims;  // of all stretches
  std::size_t own_rim = 0;
};

/// What lies on one side of a shard, the nearest first, as wide as the halo: of those beside it,
/// round a ring several times even; then `last`, the shard's own last element there, or `nothing`.
template <class T, Halo H>
std::vector<const T*> halo_of(const Surroundings<T>& around, std::size_t shard, Side side,
                              const T& last, const T& nothing) {
  std::vector<const T*> halo;
  const auto own = shard - around.first_own;
  if (side == Side::before)
    look_into(around.own, 0, own, Side::behind, H.width, halo);
  else
    look_into(around.own, own + 1, around.own.size(), Side::before, H.width, halo);
  const auto count = around.rims.size();
  const auto there = H.edge == Edge::wrapped ? SIZE_MAX
                     : side == Side::before  ? around.own_rim
                                             : count - 1 - around.own_rim;
  const auto add = [&halo](const T& x) {
    if (halo.size() < H.width) halo.push_back(&x);
  };
  for (std::size_t step = 1; halo.size() < H.width && step <= there; ++step) {
    const auto away = step % count;
    const auto& rim =
        force(around.rims[(around.own_rim + (side == Side::before ? count - away : away)) % count]);
    if (side == Side::before)
      std::ranges::for_each(force(rim.last) | std::views::reverse, add);
    else
      std::ranges::for_each(force(rim.first), add);
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
                       const Lazy<Surroundings<T>>& around, const Stored&... stored) {
  return in_shard("stencil", function_name<F>(), shard, [&] {
    // Nobody else may want it: unevaluated it would keep all that it looks at.
    if (const auto& all = force(around); shard == all.first_own) force(all.rims[all.own_rim]);
    const auto& elements = force(force(source).elements);
    if (elements.empty()) return Made<R>(std::size_t{0}).shard();
    const T nothing{};
    const auto before =
        halo_of<T, H>(force(around), shard, Side::before, elements.front(), nothing);
    const auto behind = halo_of<T, H>(force(around), shard, Side::behind, elements.back(), nothing);
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

/// What each stretch sees, and beside whom.
template <Halo H, class T>
std::vector<Lazy<Surroundings<T>>> surroundings(const Parts<T>& source,
                                                std::span<const Stretch> runs) {
  std::vector<Shards<T>> own;
  std::vector<Lazy<Rim<T>>> rims;
  std::vector<Place> places;
  for (const auto& run : runs) {
    own.emplace_back(source.shards.begin() + static_cast<std::ptrdiff_t>(run.begin),
                     source.shards.begin() + static_cast<std::ptrdiff_t>(run.end));
    rims.push_back(lazy_placed<&rim_of<T, H>>(own.back()));
    places.push_back(run.place);
  }
  start(rims, places);
  std::vector<Lazy<Surroundings<T>>> all;
  for (std::size_t r = 0; r < runs.size(); ++r)
    all.emplace_back(Surroundings<T>{std::move(own[r]), runs[r].begin, rims, r});
  return all;
}

template <auto F, Halo H, class R, class T, class... A>
Dist<R> stencil_of(const Parts<T>& source, const A&... arguments) {
  keep_pace(source);
  const auto count = source.shards.size();
  (must_have_shards(arguments, count), ...);
  const auto runs = stretches(source.places);
  const auto around = surroundings<H>(source, runs);
  return [&](const auto&... shared) {
    std::vector<Lazy<Shard<R>>> shards;
    for (std::size_t r = 0; r < runs.size(); ++r)
      for (auto i = runs[r].begin; i < runs[r].end; ++i)
        shards.push_back(lazy_placed<&stencil_shard<F, H, R, T, stored_type<A>...>>(
            i, source.shards[i], around[r], stored_for(shared, i, source.places[i])...));
    return made_from(source, std::move(shards), source.places);
  }(shared_argument(arguments)...);
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
    return stencil_of<F, H, R>(d.parts(), args...);
  } else {
    return Refused();
  }
}

}  // namespace trawl
