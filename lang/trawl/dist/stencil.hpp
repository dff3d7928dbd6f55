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

/// What one sees who stands on that side of all that is looked at: the nearest first, as many as a
/// halo is wide.
template <class T, Halo H>
class Seen {
 public:
  explicit Seen(Side side) : side_(side) {}

  bool all() const { return seen_.size() == H.width; }

  void look_at(std::span<const T> elements) {
    if (side_ == Side::before)
      add(elements);
    else
      add(elements | std::views::reverse);
  }
  /// The shards [begin, end).
  void look_at(const Shards<T>& shards, std::size_t begin, std::size_t end) {
    while (begin < end && !all())
      look_at(force(force(shards[side_ == Side::before ? begin++ : --end]).elements));
  }

  std::vector<const T*> take() && { return std::move(seen_); }

 private:
  template <class Elements>
  void add(const Elements& elements) {
    for (const T& x : elements | std::views::take(H.width - seen_.size())) seen_.push_back(&x);
  }

  Side side_;
  std::vector<const T*> seen_;
};

template <class T, Halo H>
Rim<T> rim_of(const Shards<T>& stretch) {
  const auto seen_from = [&](Side side) {
    Seen<T, H> looking(side);
    looking.look_at(stretch, 0, stretch.size());
    auto seen = std::move(looking).take();
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
  Lazy<std::vector<Lazy<Rim<T>>>> rims;  // of all stretches
  std::size_t own_rim = 0;
};

/// What one shard sees. The list has those right beside it too; but a recording sees what a thunk
/// itself is given.
template <class T>
struct View {
  Lazy<Surroundings<T>> all;
  Lazy<Shard<T>> before;  // none at the end of its stretch
  Lazy<Shard<T>> behind;
};

/// What lies on that side of a shard, the nearest first, as wide as the halo: of those beside it,
/// round a ring several times even; then `last`, the shard's own last element there, or `nothing`.
template <class T, Halo H>
std::vector<const T*> halo_of(const Surroundings<T>& around, std::size_t shard, Side side,
                              const T& last, const T& nothing) {
  const bool before = side == Side::before;
  Seen<T, H> looking(before ? Side::behind : Side::before);
  const auto own = shard - around.first_own;
  looking.look_at(around.own, before ? 0 : own + 1, before ? own : around.own.size());
  const auto& rims = force(around.rims);
  const auto count = rims.size();
  const auto there = H.edge == Edge::wrapped ? SIZE_MAX
                     : before                ? around.own_rim
                                             : count - 1 - around.own_rim;
  for (std::size_t step = 1; !looking.all() && step <= there; ++step) {
    const auto away = step % count;
    const auto& rim = force(rims[(around.own_rim + (before ? count - away : away)) % count]);
    looking.look_at(force(before ? rim.last : rim.first));
  }
  auto halo = std::move(looking).take();
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
Shard<R> stencil_shard(std::size_t shard, const Lazy<Shard<T>>& source, const View<T>& view,
                       const Stored&... stored) {
  return in_shard("stencil", function_name<F>(), shard, [&] {
    const auto& around = force(view.all);
    // Nobody else may want it: unevaluated it would keep all that it looks at.
    if (shard == around.first_own) force(force(around.rims)[around.own_rim]);
    const auto& elements = force(force(source).elements);
    if (elements.empty()) return Made<R>(std::size_t{0}).shard();
    const T nothing{};
    const auto before = halo_of<T, H>(around, shard, Side::before, elements.front(), nothing);
    const auto behind = halo_of<T, H>(around, shard, Side::behind, elements.back(), nothing);
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

template <Halo H, class T>
OfShards<View<T>> views(const Parts<T>& source) {
  const auto runs = stretches(source.places);
  std::vector<Shards<T>> own;
  std::vector<Lazy<Rim<T>>> all_rims;
  std::vector<Place> places;
  for (const auto& run : runs) {
    own.emplace_back(source.shards.begin() + static_cast<std::ptrdiff_t>(run.begin),
                     source.shards.begin() + static_cast<std::ptrdiff_t>(run.end));
    all_rims.push_back(lazy_placed<&rim_of<T, H>>(own.back()));
    places.push_back(run.place);
  }
  start(all_rims, places);
  const Lazy<std::vector<Lazy<Rim<T>>>> rims(std::move(all_rims));
  OfShards<View<T>> all;
  all.values.reserve(source.shards.size());
  for (std::size_t r = 0; r < runs.size(); ++r) {
    const auto [begin, end, place] = runs[r];
    const Lazy<Surroundings<T>> around({std::move(own[r]), begin, rims, r});
    for (auto i = begin; i < end; ++i)
      all.values.push_back({around, i == begin ? Lazy<Shard<T>>() : source.shards[i - 1],
                            i + 1 == end ? Lazy<Shard<T>>() : source.shards[i + 1]});
  }
  return all;
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
    return made_by<&stencil_shard<F, H, R, T, stored_type<A>...>, R>(source, views<H>(source),
                                                                     args...);
  } else {
    return Refused();
  }
}

}  // namespace trawl
