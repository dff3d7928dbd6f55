// Lazily shared values: thunks in the virtual heap of all PEs (GpH's par, pseq and force).
#pragma once

#include <iosfwd>
#include <utility>

#include <trawl/check.hpp>
#include <trawl/inline/demand.hpp>
#include <trawl/inline/error.hpp>
#include <trawl/inline/memory.hpp>
#include <trawl/inline/node.hpp>
#include <trawl/inline/thunk.hpp>

namespace trawl {

#if !defined(NDEBUG) && !defined(TRAWL_NO_COLLECTOR)
// Debug builds look where each Lazy lies. It is another class then: what is built with NDEBUG and
// what is not should not link.
#define TRAWL_DETAIL_LOOKS 1
template <class T>
class [[gnu::abi_tag("debug")]] Lazy;
#endif

/// A value that is computed when somebody needs it, once, on whichever PE; or one that is there
/// already. One pointer, free to copy; may sit on a stack, in a global, in a standard container, in
/// a result or an argument of a thunk. (Not in memory from malloc, nor in an exception: debug
/// builds refuse that.)
template <class T>
class Lazy {
  static_assert(std::is_same_v<T, std::remove_cvref_t<T>> && !std::is_void_v<T>,
                "trawl: what is lazy is a value, and never changes: write Lazy<T> without const or "
                "reference.");

 public:
  using value_type = T;               ///< what force gives
  using trawl_node_reference = void;  ///< the runtime knows it by this

  /// Refers to nothing; can't be forced.
  Lazy() = default;
  /// A copy is the same thunk.
#ifdef TRAWL_DETAIL_LOOKS
  Lazy(const Lazy& other) : node_(other.node_) {
    look();
  }
  /// Refers to the same thunk from now on.
  Lazy& operator=(const Lazy& other) {
    node_ = other.node_;
    look();
    return *this;
  }
#else
  Lazy(const Lazy&) = default;
  /// Refers to the same thunk from now on.
  // Written out, so that nothing which holds a Lazy passes for plain bytes.
  Lazy& operator=(const Lazy& other) noexcept {  // NOLINT(bugprone-unhandled-self-assignment)
    node_ = other.node_;
    return *this;
  }
#endif
  ~Lazy() = default;
  /// An already evaluated one.
  explicit Lazy(const T& value) {
    if constexpr (detail::value_travels<T>() &&
                  detail::all_given_away(detail::Types<const T&>(), detail::Types<T>()))
      node_ = heap::make_value<T>(value);
    look();
  }
  /// The same, of a value that is given away.
  explicit Lazy(T&& value) {
    if constexpr (detail::value_travels<T>()) node_ = heap::make_value<T>(std::move(value));
    look();
  }

  /// Does it refer to anything?
  explicit operator bool() const noexcept {
    return node_ != nullptr;
  }
  /// Has it been evaluated, or has it failed? May become true at any time.
  bool evaluated() const noexcept {
    return node_ != nullptr && node_->finished();
  }

  // One thunk may have two nodes on a PE, if it came there by two ways. The compiler shows the
  // line.
  friend bool operator==(Lazy, Lazy) = delete;  // trawl: compare values: force(a) == force(b).
  friend bool operator<(Lazy, Lazy) = delete;   // trawl: compare values: force(a) < force(b).

  /// The runtime's.
  heap::Node* node() const noexcept {
    return node_;
  }
  /// The runtime's: refers to nothing from now on, and so does its memory, though nobody should
  /// read that again.
  void let_go() noexcept {
    static_cast<heap::Node* volatile&>(node_) = nullptr;
  }
  /// The runtime's.
  static Lazy refer_to(heap::Node* node) {
    Lazy lazy;
    lazy.node_ = node;
    lazy.look();
    return lazy;
  }

 private:
  void look() const {
#ifdef TRAWL_DETAIL_LOOKS
    if (node_ != nullptr) heap::refuse_unseen(this);
#endif
  }

  heap::Node* node_ = nullptr;
};

namespace detail {

struct RefusedLazy : Lazy<Refused> {
  template <class T>
  operator Lazy<T>() const;  // NOLINT(google-explicit-constructor)
};

// Said, so that no compiler warns of a conversion in here.
template <class A, class G>
decltype(auto) as_stored(G&& given) {
  if constexpr (std::is_same_v<A, std::remove_cvref_t<G>>)
    return std::forward<G>(given);
  else
    return static_cast<A>(std::forward<G>(given));
}

template <class Call, class R, class... A>
struct MakeLazy {
  template <class... G>
  static Lazy<R> make(G&&... given) {
    return Lazy<R>::refer_to(
        heap::Thunk<Call, R, A...>::make(as_stored<A>(std::forward<G>(given))...));
  }
};
/// Of a thunk that nobody else gets a Lazy of: see `take`.
template <class Call, class R, class... A>
struct MakeOwn : MakeLazy<heap::for_one_reader<Call, R>, R, A...> {};

/// Is this argument a Lazy that its owner gives up?
template <class G>
inline constexpr bool is_given_up = heap::NodeReference<G> && !std::is_const_v<G>;

/// Not inlined: where a Lazy lay that has become an argument, nothing refers to its thunk any more,
/// however the compiler has arranged the caller; else who goes through a list that is moved into a
/// call would keep all of it.
template <class Maker, class... G>
[[gnu::noinline]] auto make_of_given_up(G&&... given) {
  auto made = Maker::make(std::forward<G>(given)...);
  const auto let_go = [](auto& each, bool is_moved) {
    if constexpr (requires { each.let_go(); })
      if (is_moved) each.let_go();
  };
  (let_go(given, is_given_up<G>), ...);
  return made;
}

template <class Call, template <class, class, class...> class Make = MakeLazy, class... G>
auto suspend(G&&... given) {
  using S = suspension<Call, G...>;
  if constexpr (S::ok && (is_given_up<G> || ...))
    return make_of_given_up<typename S::template Apply<Make>>(std::forward<G>(given)...);
  else if constexpr (S::ok)
    return S::template Apply<Make>::make(std::forward<G>(given)...);
  else if constexpr (ResultKnown<S>)
    return Lazy<typename S::Result>();
  else
    return RefusedLazy();
}

[[gnu::noinline]] inline void demand_or_throw(heap::Node* node) {
  if (node == nullptr)
    throw Error("a Lazy that refers to nothing was forced (what is made of itself is made by fix)");
  sched::demand(node);
  if (node->state() == heap::State::exception) heap::throw_failure(node);
}

/// The value of a thunk for one reader, moved out of it, once.
template <class R>
R take(heap::Node* node) {
  if (node->state() != heap::State::value) demand_or_throw(node);
  sched::hide(node);
  return heap::ResultOf<R>::take(node);
}

}  // namespace detail

/// Suspends `F(arguments...)`: nothing is computed yet. A Lazy that is moved in refers to nothing
/// any more. F is a function or a lambda without captures; arguments and result are whatever can
/// travel: plain and standard types, aggregates, types with a cereal-style serialize(), and any of
/// these holding a Lazy.
template <auto F, class... A>
auto lazy(A&&... arguments) {
  return detail::suspend<detail::call_of<F>>(std::forward<A>(arguments)...);
}

/// The same for a lambda or another stateless function object.
template <class F, class... A>
auto lazy(F, A&&... arguments) {
  return detail::suspend<F>(std::forward<A>(arguments)...);
}

/// The value: evaluates it, takes it, or waits for it. Throws what its function threw; Error where
/// the Lazy is empty, outside of a run, in the initialisation of a static, and in what `blocking`
/// calls. The reference is good as long as anything refers to the Lazy, or to the value by this
/// reference.
template <class T>
const T& force(Lazy<T> lazy) {
  heap::Node* node = lazy.node();
  if (node == nullptr || node->state() != heap::State::value) [[unlikely]]
    detail::demand_or_throw(node);
  return heap::ResultOf<T>::get(node);
}

/// The value, copied out of a Lazy that is given up: where it lay nothing refers to the value any
/// more, however the compiler has arranged its caller. (Not moved: there may be copies of the
/// Lazy.) For who goes through a large structure of small values and needs each once: `while (list)
/// { Cell cell = consume(std::move(list)); ... }`. What `force` throws it throws, and gives up
/// nothing.
template <class T>
[[gnu::noinline]] T consume(Lazy<T>&& lazy) {
  if (!lazy || lazy.node()->state() != heap::State::value) [[unlikely]] {
    detail::demand_or_throw(lazy.node());
    heap::clear_finished_calls<512>();
  }
  if constexpr (detail::may_be_copied<T>()) {
    const T value = heap::ResultOf<T>::get(lazy.node());
    lazy.let_go();
    return value;
  } else {
    return T();
  }
}

/// A program may have one of its own, for `const Lazy<T>&`.
template <heap::NodeReference L>
std::ostream& operator<<(std::ostream&, const L&) = delete;  // trawl: print force(x).

/// Refused, with what to write instead.
template <detail::NoLazy T>
const T& force(const T& value) {
  static_assert(heap::NodeReference<T> || std::is_same_v<T, detail::Refused>,
                "trawl: only a Lazy can be forced; what spawn returns has sync(), any other value "
                "is there already.");
  return value;
}

/// Marks it as worth evaluating in parallel: whoever has nothing to do may take it. An empty Lazy
/// stays one. What its function throws `force` throws.
template <class T>
Lazy<T> par(Lazy<T> lazy) {
  if (lazy) sched::spark(lazy.node());
  return lazy;
}

/// Refused, with what to write instead.
template <detail::NoLazy T, class... U>
decltype(auto) par(const T& a, const U&... b) {
  static_assert(heap::NodeReference<T>,
                "trawl: only a Lazy can be evaluated in parallel; par takes what lazy<f>(...) "
                "returns.");
  return (a, ..., b);
}

/// Asks for what lives on another PE and is going to be needed here, and goes on at once: a value
/// is copied here, a thunk that nobody evaluates yet moves here. An empty Lazy stays one.
template <class T>
Lazy<T> fetch(Lazy<T> lazy) {
  if (lazy) sched::fetch(lazy.node());
  return lazy;
}

/// Refused, with what to write instead.
template <detail::NoLazy T>
const T& fetch(const T& value) {
  static_assert(heap::NodeReference<T>,
                "trawl: only a Lazy can be fetched; any other value is there already.");
  return value;
}

/// `a` may be evaluated in parallel to whatever becomes of `b`.
template <class T, class U>
U par(Lazy<T> a, U b) {
  par(a);
  return b;
}

/// First evaluates `a`, then gives `b`.
template <class T, class U>
U pseq(Lazy<T> a, U b) {
  force(a);
  return b;
}

}  // namespace trawl
