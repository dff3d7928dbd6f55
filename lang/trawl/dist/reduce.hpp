// Skeletons that make one value of all: reduce; and of each the value up to there: scan.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include <trawl/dist/map.hpp>

namespace trawl {
namespace detail {

/// Of some shards: nothing where they have no elements.
template <class R>
struct Partial {
  std::optional<R> value;
};

template <auto Combine, class R>
Partial<R> combine_partials(const Partial<R>& left, const Partial<R>& right) {
  if (!left.value) return right;
  if (!right.value) return left;
  return in_combining<Combine>(
      "reduce", [&] { return Partial<R>{static_cast<R>(Combine(*left.value, *right.value))}; });
}

template <auto F, auto Combine, class R, class T, class... Stored>
Partial<R> reduce_shard(std::size_t shard, const Lazy<Shard<T>>& source, const Stored&... stored) {
  const auto& elements = force(force(source).elements);
  Partial<R> sum;
  if constexpr (callable<F, const T&, element_argument<Stored>...>) {
    with_opened(
        elements.size(), shard,
        [&](const auto&... opened) {
          each_element<F>("reduce", shard, elements.size(), [&](std::size_t i) {
            if (i == 0) return void(sum.value.emplace(F(elements[i], opened.at(i)...)));
            auto&& next = F(elements[i], opened.at(i)...);
            in_combining<Combine>("reduce", shard, i, [&] {
              sum.value = Combine(*std::as_const(sum.value), std::forward<decltype(next)>(next));
            });
          });
        },
        stored...);
  } else if (!elements.empty()) {
    [&](const auto&... opened) {
      by_function("reduce", function_name<F>(), shard,
                  [&] { sum.value.emplace(F(elements, opened.all()...)); });
    }(open(stored)...);
  }
  return sum;
}

/// Thunks and where they are to be evaluated.
template <class S>
struct Plan {
  struct Step {
    Lazy<S> thunk;
    std::size_t first;  // shard that it is about
  };
  std::vector<Step> steps;
};

/// A binary tree over the shards [begin, end), of a shape that depends on their number alone; where
/// its leftmost shard lies, there it is combined.
template <auto Combine, class R, class Leaf>
Lazy<Partial<R>> reduction_tree(Plan<Partial<R>>& plan, std::size_t begin, std::size_t end,
                                const Leaf& leaf) {
  Lazy<Partial<R>> thunk;
  if (end - begin == 1) {
    thunk = leaf(begin);
  } else {
    const auto middle = begin + (end - begin) / 2;
    const auto left = reduction_tree<Combine, R>(plan, begin, middle, leaf);
    const auto right = reduction_tree<Combine, R>(plan, middle, end, leaf);
    thunk = lazy_placed<&combine_partials<Combine, R>>(left, right);
  }
  plan.steps.push_back({thunk, begin});
  return thunk;
}

/// A stretch's steps come in the order in which they were planned: what they need before them.
template <class S>
void start(const Plan<S>& plan, const std::vector<Place>& places) {
  const auto runs = stretches(places);
  std::vector<std::vector<heap::Node*>> by_run(runs.size());
  std::vector<std::size_t> run_of;
  for (std::size_t r = 0; r < runs.size(); ++r) run_of.resize(runs[r].end, r);
  std::vector<heap::Node*> from_last;
  std::vector<Place> their_places;
  for (const auto& step : plan.steps) by_run[run_of[step.first]].push_back(step.thunk.node());
  for (auto step = plan.steps.rbegin(); step != plan.steps.rend(); ++step) {
    from_last.push_back(step->thunk.node());
    their_places.push_back(places[step->first]);
  }
  note_steps(from_last, their_places);
  for (auto r = runs.size(); r-- > 0;) start_group(by_run[r], runs[r].place);
}

template <class R>
R value_of(const Partial<R>& partial) {
  return partial.value ? *partial.value : R();
}

/// Refused: with a sentence.
template <auto F, class T, class... Stored>
consteval auto reduced_type() {
  if constexpr (callable<F, const T&, element_argument<Stored>...>)
    return std::type_identity<
        std::decay_t<std::invoke_result_t<decltype(F), const T&, element_argument<Stored>...>>>();
  else if constexpr (takes<F, const std::vector<T>&, shard_argument<Stored>...>())
    return std::type_identity<std::decay_t<
        std::invoke_result_t<decltype(F), const std::vector<T>&, shard_argument<Stored>...>>>();
  else
    return std::type_identity<Refused>();
}

template <class R, auto Combine>
consteval bool reduces() {
  if constexpr (std::is_same_v<R, Refused>)
    return false;
  else if constexpr (result_travels<R>()) {
    static_assert(heap::CanBeCopied<R>,
                  "trawl: what reduce combines goes from PE to PE as copies; this type has none.");
    return heap::CanBeCopied<R> && combines<Combine, R>();
  } else
    return false;
}

}  // namespace detail

/// All `f(x, args...)`, combined in a fixed tree: the same bits on any number of PEs. f takes an
/// element, or a whole shard as a std::vector (never an empty one). `combine(a, b)` has to be
/// associative; it need not be commutative. R() where there are no elements.
template <auto F, auto Combine, class T, class... A>
auto reduce(const Dist<T>& d, const A&... args) {
  using namespace detail;
  using R = typename decltype(reduced_type<F, T, stored_type<A>...>())::type;
  if constexpr (reduces<R, Combine>()) {
    const auto& source = d.parts();
    keep_pace(source);
    const auto count = source.shards.size();
    (must_have_shards(args, count), ...);
    if (count == 0) return Lazy<R>(R());
    return [&](const auto&... shared) {
      Plan<Partial<R>> plan;
      const auto top = reduction_tree<Combine, R>(plan, 0, count, [&](std::size_t i) {
        return lazy_placed<&reduce_shard<F, Combine, R, T, stored_type<A>...>>(
            i, source.shards[i], stored_for(shared, i, source.places[i])...);
      });
      start(plan, source.places);
      const auto result = lazy_placed<&value_of<R>>(top);
      start(std::vector{result}, std::span(source.places).first(1));
      return result;
    }(shared_argument(args)...);
  } else {
    return Refused();
  }
}

namespace detail {

template <class T, class U>
consteval bool is_unit() {
  constexpr bool fits =
      std::is_convertible_v<U, T> && !(std::is_integral_v<T> && std::is_floating_point_v<U>);
  static_assert(fits,
                "trawl: the unit of scan is a value of the elements' type, with which it begins.");
  return fits;
}

/// Of all its elements.
template <auto Combine, class T>
Partial<T> sum_of_shard(std::size_t shard, const Lazy<Shard<T>>& source) {
  const auto& elements = force(force(source).elements);
  Partial<T> sum;
  each_element<Combine>("scan", shard, elements.size(), [&](std::size_t i) {
    if (i == 0)
      sum.value.emplace(elements[i]);
    else
      sum.value = Combine(*std::as_const(sum.value), elements[i]);
  });
  return sum;
}

/// What is before each shard.
template <auto Combine, class T>
std::vector<T> sums_before(const std::vector<Lazy<Partial<T>>>& shards, const T& unit) {
  std::vector<T> before;
  before.reserve(shards.size());
  T sum = unit;
  for (const auto& shard : shards) {
    before.push_back(sum);
    if (const auto& value = force(shard).value; value)
      in_combining<Combine>("scan", [&] { sum = Combine(std::as_const(sum), *value); });
  }
  return before;
}

template <auto Combine, class T>
Shard<T> scan_shard(std::size_t shard, const Lazy<Shard<T>>& source,
                    const Lazy<std::vector<T>>& sums) {
  return in_shard("scan", function_name<Combine>(), shard, [&] {
    const auto& elements = force(force(source).elements);
    T sum = force(sums)[shard];
    Made<T> made(elements.size());
    each_element<Combine>("scan", shard, elements.size(), [&](std::size_t i) {
      sum = Combine(sum, elements[i]);
      made.add(std::as_const(sum));
    });
    return std::move(made).shard();
  });
}

}  // namespace detail

/// Of each element, all up to it combined, and itself: an inclusive scan, that begins with `unit`.
/// `combine(a, b)` has to be associative; shards are combined by themselves first, alike on any
/// number of PEs.
template <auto Combine, class T, class U>
Dist<T> scan(const Dist<T>& d, const U& given_unit) {
  using namespace detail;
  if constexpr (combines<Combine, T>() && is_unit<T, U>()) {
    const T unit = static_cast<T>(given_unit);
    const auto& source = d.parts();
    keep_pace(source);
    const auto count = source.shards.size();
    if (count == 0) return d;
    std::vector<Lazy<Partial<T>>> sums;
    for (std::size_t i = 0; i < count; ++i)
      sums.push_back(lazy_placed<&sum_of_shard<Combine, T>>(i, source.shards[i]));
    start(sums, source.places);
    const auto before = lazy_placed<&sums_before<Combine, T>>(sums, unit);
    sched::place(before.node(), pe_of(source.places.front()));
    std::vector<Lazy<Shard<T>>> shards;
    for (std::size_t i = 0; i < count; ++i)
      shards.push_back(lazy_placed<&scan_shard<Combine, T>>(i, source.shards[i], before));
    return made_from(source, std::move(shards), source.places);
  } else {
    return d;
  }
}

}  // namespace trawl
