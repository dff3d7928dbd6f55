// Objects that all PEs have a replica of, and that change.
#pragma once

#include <functional>
#include <type_traits>
#include <utility>

#include <trawl/inline/objects.hpp>
#include <trawl/lazy.hpp>

namespace trawl {
namespace detail {

template <class T>
struct VersionOf : sched::Version {
  explicit VersionOf(const T& its_value)
      : Version(&heap::type_tag<T>, [](Version* old) { delete static_cast<VersionOf*>(old); }),
        value(its_value) {}

  T value;
};

/// A call that changes an object, or makes the first version of it.
template <class Call, class R, class... A>
struct MakeWrite : MakeLazy<heap::Writes<Call>, R, A...> {};

template <class T>
bool begin_shared(const sched::SharedName& object, const T& first) {
  sched::version_to_write(object) = new VersionOf<T>(first);
  return true;
}

/// Changed in place, unless somebody reads it: then a copy is.
template <class T>
T& value_to_write(const sched::SharedName& object) {
  auto& version = sched::version_to_write(object);
  if (version == nullptr || version->type != &heap::type_tag<T>)
    throw Error("a Shared was written before it was made, or as another type than it is");
  if (version->holders.load(std::memory_order_acquire) != 1)
    sched::let_go(
        std::exchange(version, new VersionOf<T>(static_cast<VersionOf<T>*>(version)->value)));
  return static_cast<VersionOf<T>*>(version)->value;
}

template <auto F, class T, class... A>
auto write_shared(const sched::SharedName& object, const A&... arguments) {
  if constexpr (std::is_void_v<std::invoke_result_t<decltype(F), T&, const A&...>>) {
    std::invoke(F, value_to_write<T>(object), arguments...);
    return true;
  } else {
    return std::invoke(F, value_to_write<T>(object), arguments...);
  }
}

/// What the arguments of a write are stored as: what its function takes behind the object, if that
/// can be told.
template <class F, class... G>
struct written_as {
  using type = Types<std::decay_t<G>...>;
};
template <class R, class O, class... P, class... G>
requires(sizeof...(P) == sizeof...(G)) struct written_as<R (*)(O, P...), G...> {
  using type = Types<std::decay_t<P>...>;
};
template <class R, class C, class... P, class... G>
requires(sizeof...(P) == sizeof...(G)) struct written_as<R (C::*)(P...), G...> {
  using type = Types<std::decay_t<P>...>;
};
template <class R, class O, class... P, class... G>
struct written_as<R (*)(O, P...) noexcept, G...> : written_as<R (*)(O, P...), G...> {};
template <class R, class C, class... P, class... G>
struct written_as<R (C::*)(P...) noexcept, G...> : written_as<R (C::*)(P...), G...> {};

}  // namespace detail

/// What a Shared was when it was read: writes that come later don't change it.
template <class T>
class Reading {
 public:
  /// The object.
  const T& operator*() const noexcept { return version_->value; }
  /// Of the object.
  const T* operator->() const noexcept { return &version_->value; }

  /// The runtime's.
  explicit Reading(sched::Version* version) noexcept
      : version_(static_cast<detail::VersionOf<T>*>(version)) {}
  /// It is given away.
  Reading(Reading&& other) noexcept : version_(std::exchange(other.version_, nullptr)) {}
  /// It is given away.
  Reading& operator=(Reading&& other) noexcept {
    std::swap(version_, other.version_);
    return *this;
  }
  ~Reading() { sched::let_go(version_); }

 private:
  detail::VersionOf<T>* version_;
};

/// An object of which each PE has a replica: reading is local; writes are calls that each PE makes
/// on its own, all in one order. What has been written is seen elsewhere some messages later. A
/// value: copies, on whichever PE, are the same object; it stays until the end of the run. T can
/// travel and be copied, and holds no Lazy. (Satin's shared objects; the order is given by the PE
/// that has made the object.)
template <class T>
class Shared {
  static_assert(heap::CanBeCopied<T>,
                "trawl: each PE has its own copy of what is Shared: it has to be copyable.");

 public:
  /// Of nothing, until it is assigned another; to use it throws Error.
  Shared() = default;
  /// What it is at first. Throws Error outside of a run.
  explicit Shared(const T& first) {
    if constexpr (detail::value_travels<T>()) {
      name_ = sched::new_object();
      const auto begin =
          detail::suspend<Function<&detail::begin_shared<T>>, detail::MakeWrite>(name_, first);
      sched::write_object(name_, begin.node());
    }
  }

  /// What it is here, with all writes that have come: a look into a table. It stays as it is while
  /// the Reading lives, which costs the next write a copy of the object.
  [[nodiscard]] Reading<T> read() const { return Reading<T>(sched::hold_object(name()).version); }

  /// `F(object, arguments...)` on all PEs: a function that takes a `T&`, or a member of T, and does
  /// the same wherever it is called. Goes on at once. What it gives says what F gave (true, if
  /// nothing) or threw, as soon as this PE has made the call: who has forced it reads what it
  /// wrote.
  template <auto F, class... A>
  auto write(A&&... arguments) const {
    return write_as<F>(typename detail::written_as<decltype(F), A...>::type(),
                       std::forward<A>(arguments)...);
  }

  /// A guard: waits until `G(object, arguments...)` is true here, and gives the object for which it
  /// was. If it never will be, that is a deadlock, and is said.
  template <auto G, class... A>
  [[nodiscard]] Reading<T> wait_until(const A&... arguments) const {
    for (;;) {
      const auto [version, writes] = sched::hold_object(name());
      if (Reading<T> now(version); std::invoke(G, *now, arguments...)) return now;
      sched::await_write(name_, writes);
    }
  }

 private:
  template <auto F, class... P, class... A>
  auto write_as(detail::Types<P...>, A&&... arguments) const {
    constexpr bool fits = std::is_invocable_v<decltype(F), T&, const P&...>;
    static_assert(
        fits,
        "trawl: a write is a function of the object, T&, and of these arguments, which it "
        "takes by value or by const reference.");
    constexpr bool values =
        !((heap::NodeReference<P> || heap::NodeReference<std::decay_t<A>>) || ...);
    static_assert(values, "trawl: what is written is a value: force a Lazy before it is passed.");
    if constexpr (fits && values) {
      const auto call =
          detail::suspend<Function<&detail::write_shared<F, T, P...>>, detail::MakeWrite>(
              name(), std::forward<A>(arguments)...);
      sched::write_object(name_, call.node());
      return call;
    } else {
      return detail::RefusedLazy();
    }
  }
  const sched::SharedName& name() const {
    if (name_.number == 0) throw Error("a Shared that nothing was assigned to was used");
    return name_;
  }

  sched::SharedName name_{};
};

}  // namespace trawl
