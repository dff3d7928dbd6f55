// Calls of which perhaps not all are needed: Satin's inlets and aborts (Satin, section 2).
#pragma once

#include <algorithm>
#include <cstddef>
#include <exception>
#include <ranges>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include <trawl/inline/demand.hpp>
#include <trawl/inline/promise.hpp>
#include <trawl/lazy.hpp>
#include <trawl/maps.hpp>
#include <trawl/spread.hpp>

namespace trawl {
namespace detail {

/// What a call of spawn_some is a part of: for each group around it, the outermost first, a promise
/// that is kept when nobody needs the group any more.
struct Scope {
  std::vector<Lazy<bool>> ended;
};

inline const Scope* scope_here() {
  return static_cast<const Scope*>(sched::scope());
}

/// While it lives, the running call is a part of `scope`.
class InScope {
 public:
  explicit InScope(const Scope& scope) : before_(sched::enter_scope(&scope)) {}
  ~InScope() { sched::enter_scope(before_); }
  InScope(const InScope&) = delete;
  InScope& operator=(const InScope&) = delete;

 private:
  const void* before_;
};

}  // namespace detail

/// Does nobody need any more what is being computed: the running call of `spawn_some`, or one that
/// this is a part of? Then it may return whatever it likes, at once. What it forces, and what
/// others have taken of its `spawn`, is not a part of it.
inline bool cancelled() {
  const auto* scope = detail::scope_here();
  return scope != nullptr && std::ranges::any_of(scope->ended, &Lazy<bool>::evaluated);
}

namespace detail {

// A PE that has fetched a promise is told when it is kept.
template <auto F, class X, class... A>
auto call_in_scope(Lazy<Scope> scope, const X& x, const A&... args) {
  const Scope& ours = force(scope);
  for (const auto& ended : ours.ended) fetch(ended);
  const InScope in_scope(ours);
  if (cancelled()) throw Cancelled();
  return F(x, args...);
}

/// An inlet that says nothing means to go on.
template <class Inlet, class R>
bool goes_on(Inlet& inlet, std::size_t i, const R& result) {
  static_assert(std::is_invocable_v<Inlet&, std::size_t, const R&>,
                "trawl: an inlet takes the index of a call and its result: [&](std::size_t i, "
                "const R& result) { ... }.");
  if constexpr (std::is_invocable_v<Inlet&, std::size_t, const R&>) {
    using Said = std::invoke_result_t<Inlet&, std::size_t, const R&>;
    constexpr bool is_clear = std::is_void_v<Said> || !std::is_arithmetic_v<std::decay_t<Said>> ||
                              std::is_same_v<std::decay_t<Said>, bool>;
    static_assert(is_clear && (std::is_void_v<Said> || std::is_convertible_v<Said, bool>),
                  "trawl: an inlet gives nothing, or a bool: false cancels the other calls.");
    if constexpr (std::is_convertible_v<Said, bool>)
      return static_cast<bool>(inlet(i, result));
    else
      inlet(i, result);
  }
  return true;
}

}  // namespace detail

/// What `spawn_some` returns: calls under way. Those that have not been seen when it ends are
/// cancelled.
template <class R>
class SpawnedSome {
 public:
  /// Made by spawn_some alone.
  SpawnedSome(Lazy<bool> ended, std::vector<Lazy<R>> calls)
      : ended_(ended), calls_(std::move(calls)) {
    detail::spark_all(std::span<const Lazy<R>>(calls_));
  }
  SpawnedSome(const SpawnedSome&) = delete;
  SpawnedSome& operator=(const SpawnedSome&) = delete;
  ~SpawnedSome() { cancel(); }

  /// Shows each result to `inlet(i, result)`, here, as they come; makes the calls that nobody has
  /// begun. When that says false, the other calls are cancelled. Whatever it says, its answer
  /// should be the same for any order: a maximum, a cut-off by what is known to be enough. Throws
  /// what a call threw, as soon as it comes upon that. To be called once.
  template <class Inlet>
  void each(Inlet inlet) {
    begin();
    for (std::size_t next = 0; show_what_has_come(next, inlet);) {
      while (next < calls_.size() && !calls_[next]) ++next;
      if (next < calls_.size()) {
        if (!sched::evaluate_if_left(calls_[next].node())) elsewhere_.push_back(next++);
      } else if (elsewhere_.empty()) {
        break;
      } else {
        await_any();
      }
    }
    cancel();
  }

  /// The same in the order of the calls: the answer is the same for any inlet.
  template <class Inlet>
  void each_in_order(Inlet inlet) {
    begin();
    for (std::size_t i = 0; i < calls_.size() && show(i, inlet);) ++i;
    cancel();
  }

  /// Nobody needs the rest: what has not begun never will, what has sees that it is `cancelled()`.
  void cancel() {
    if (!ended_) return;
    heap::keep_promise(ended_.node(), true);
    ended_.let_go();
    detail::withdraw(std::span<const Lazy<R>>(calls_));
    calls_.clear();
    elsewhere_.clear();
  }

 private:
  void begin() {
    if (std::exchange(begun_, true))
      throw Error(
          "the results of one spawn_some are shown once: call each, or each_in_order, once");
  }

  /// Others have mostly begun with what comes next.
  static constexpr std::size_t look_ahead = 64;

  template <class Inlet>
  bool show(std::size_t i, Inlet& inlet) {
    const auto call = std::exchange(calls_[i], {});
    return detail::goes_on(inlet, i, force(call)) && ended_;  // or it has cancelled the rest
  }

  template <class Inlet>
  bool show_what_has_come(std::size_t next, Inlet& inlet) {
    const auto wants_more = [&](std::size_t i) { return !calls_[i].evaluated() || show(i, inlet); };
    const auto end = std::min(next + look_ahead, calls_.size());
    for (; next < end; ++next)
      if (!wants_more(next)) return false;
    if (!std::ranges::all_of(elsewhere_, wants_more)) return false;
    std::erase_if(elsewhere_, [this](std::size_t i) { return !calls_[i]; });
    return true;
  }

  void await_any() const {
    std::vector<heap::Node*> nodes;
    nodes.reserve(elsewhere_.size());
    for (const auto i : elsewhere_) nodes.push_back(calls_[i].node());
    sched::demand_any(nodes);
  }

  Lazy<bool> ended_;
  std::vector<Lazy<R>> calls_;          // nothing in the place of those that have been seen
  std::vector<std::size_t> elsewhere_;  // those that others have begun
  bool begun_ = false;
};

/// `auto some = spawn_some<f>(xs, args...); some.each(inlet);`: as `spawn_all`, a call for each
/// element of a container or another range, where the results of some may make those of others
/// needless.
template <auto F, std::ranges::input_range Xs, class... A>
[[nodiscard("keep what spawn_some returns, and ask it for each result")]] auto spawn_some(
    Xs&& xs, const A&... args) {
  using X = std::ranges::range_value_t<Xs>;
  constexpr bool may_fit = detail::is_no_member<Function<F>>();
  static_assert(!may_fit || std::is_invocable_v<decltype(F), const X&, const A&...>,
                "trawl: the function can't be called with the elements of this range.");
  const auto ended = Lazy<bool>::refer_to(heap::make_promise<bool>());
  detail::Scope scope;
  if (const auto* outer = detail::scope_here()) scope = *outer;
  scope.ended.push_back(ended);
  const Lazy<detail::Scope> shared(scope);
  constexpr auto call = &detail::call_in_scope<F, X, A...>;
  std::vector<decltype(lazy<call>(shared, std::declval<const X&>(), args...))> calls;
  detail::reserve_for(calls, xs);
  for (const auto& x : xs) calls.push_back(lazy<call>(shared, x, args...));
  return SpawnedSome<typename decltype(calls)::value_type::value_type>(ended, std::move(calls));
}

/// Refused, with what to write instead.
template <class F, class Xs>
requires detail::MeantForEach<F, Xs>
void spawn_some(F&&, Xs&&) {
  detail::refuse_function_beside<F>();
}

}  // namespace trawl
