// Sparks for a list of any length. A few go into the spark pool as they are, the first the oldest;
// many would not find room there, and become trees of thunks of which each half is a spark: who
// takes one takes a tree or half of it, and goes on dividing.
#pragma once

#include <algorithm>
#include <cstddef>
#include <exception>
#include <new>
#include <span>
#include <vector>

#include <trawl/lazy.hpp>

namespace trawl::detail {

inline constexpr std::size_t leaf_size = 32;
/// Of a tree: its thunks go together in a packet, and so do their values.
inline constexpr std::size_t part_size = 512;
/// So many values may come home one by one.
inline constexpr std::size_t few_elements = 1024;

/// Evaluates it, if nobody is about to; what it throws stays in it.
template <class T>
void see_to(const Lazy<T>& x) {
  if (!x) return;
  const auto state = x.node()->state();
  if (state == heap::State::unevaluated || state == heap::State::fetch_me ||
      state == heap::State::fetching)
    sched::demand(x.node());
}

/// Waits for what others are at.
template <class T>
void await(const Lazy<T>& x) {
  if (!x) return;
  const auto state = x.node()->state();
  if (state != heap::State::value && state != heap::State::exception) sched::demand(x.node());
}

/// A part of a list that has been evaluated. Where it was done elsewhere it takes the elements'
/// values home: one by one they would be fetched, a round trip each.
template <class T>
struct Part {
  std::vector<Lazy<T>> elements;
  std::vector<Lazy<Part>> halves;
};

template <class T>
Part<T> fork(Lazy<Part<T>> left, Lazy<Part<T>> right) {
  par(right);
  see_to(left);
  see_to(right);
  await(left);
  await(right);
  return {{}, {left, right}};
}

/// What a spark is there to evaluate: this (last) element, if that is still to be done. Else
/// nothing tells when it is not needed any more: itself.
inline heap::Node* purpose_of(heap::Node* spark, heap::Node* element) {
  const bool is_to_begin = element != nullptr && element->state() == heap::State::unevaluated;
  return is_to_begin ? element : spark;
}

/// A spark; one that nobody else refers to has a purpose, see spark_kept.
template <class T>
void spark(const Lazy<T>& x, const heap::Node* purpose) {
  if (purpose == nullptr)
    par(x);
  else
    sched::spark_kept(x.node(), purpose);
}

/// For who goes through the list from its beginning: the newest spark is the first element.
/// `purposes`: of each, if nobody else refers to them.
template <class T>
void spark_backwards(std::span<const Lazy<T>> xs, std::span<heap::Node* const> purposes = {}) {
  for (auto i = xs.size(); i-- > 0;) spark(xs[i], purposes.empty() ? nullptr : purposes[i]);
}

template <class T>
Part<T> leaf(const std::vector<Lazy<T>>& xs) {
  for (const auto& x : xs) fetch(x);
  spark_backwards(std::span(xs));
  for (const auto& x : xs) see_to(x);
  for (const auto& x : xs) await(x);
  return {xs, {}};
}

template <class T>
Lazy<Part<T>> tree(std::span<const Lazy<T>> xs) {
  if (xs.size() <= leaf_size) return lazy<&leaf<T>>(std::vector<Lazy<T>>(xs.begin(), xs.end()));
  const auto half = xs.size() / 2;
  return lazy<&fork<T>>(tree(xs.first(half)), tree(xs.subspan(half)));
}

/// Is there room for a spark for each of so many? Else trees are made of them.
inline bool fit_one_by_one(std::size_t count) {
  return count <= std::max<std::size_t>(sched::room_for_sparks(4 * count) / 4, 1);
}

/// `purposes` as above.
template <class T>
void spark_all(std::span<const Lazy<T>> xs, std::span<heap::Node* const> purposes = {}) {
  const auto purpose = [&](std::size_t i) { return purposes.empty() ? nullptr : purposes[i]; };
  if (fit_one_by_one(xs.size())) {
    for (std::size_t i = 0; i < xs.size(); ++i) spark(xs[i], purpose(i));
    return;
  }
  const auto room = sched::room_for_sparks(0);
  const auto most = std::max(part_size, xs.size() / std::max<std::size_t>(room / 8, 1) + 1);
  while (xs.size() > leaf_size) {
    const auto last = xs.size() - 1;
    const auto rest = xs.size() - std::min(most, xs.size() / 2);
    const auto whole = tree(xs.subspan(rest));
    spark(whole, purpose_of(whole.node(), purposes.empty() ? xs.back().node() : purposes[last]));
    xs = xs.first(rest);
  }
  spark_backwards(xs, purposes);
}

/// The value of a call that nobody needs.
struct Cancelled : std::exception {
  const char* what() const noexcept override { return "cancelled"; }
};

inline heap::Failure* cancelled_failure() {
  try {
    throw Cancelled();
  } catch (...) {
    return heap::current_failure();
  }
}

/// Nobody needs these calls: what has not begun never will, and keeps nothing. Without memory to
/// say so it stays as it is.
template <class T>
void withdraw(std::span<const Lazy<T>> calls) noexcept try {
  heap::Failure* why = nullptr;
  for (const auto& call : calls) {
    if (!call || call.node()->state() != heap::State::unevaluated) continue;
    if (why == nullptr) why = cancelled_failure();
    sched::abandon(call.node(), why);
  }
} catch (const std::bad_alloc&) {
}

}  // namespace trawl::detail
