// Divide and conquer: a call that somebody else may make meanwhile (Satin's spawn and sync).
#pragma once

#include <tuple>
#include <utility>

#include <trawl/check.hpp>
#include <trawl/inline/demand.hpp>
#include <trawl/inline/exception.hpp>
#include <trawl/inline/slot.hpp>
#include <trawl/inline/thunk.hpp>
#include <trawl/lazy.hpp>

namespace trawl {

/// A spark that costs about as much as a call: it lies in its worker's spark pool with its
/// arguments (which stay in the caller's frame if they are large, or more than plain bytes). Only
/// when another worker or PE takes it do they go into the heap. It leaves with its caller: what was
/// not synced is withdrawn, also when an exception passes.
template <class Call, class R, class... A>
class Spawned {
 public:
  /// Made by spawn alone.
  template <class... G>
  explicit Spawned(std::in_place_t, G&&... given)
      : kept_(std::forward<G>(given)...), pool_(&sched::owner_end_here()) {
    if constexpr (in_slot)
      slot_ = pool_->push<A...>(code, std::forward<G>(given)...);
    else
      slot_ = pool_->push(code, sched::Elsewhere{&kept_.arguments});
  }
  // The compiler shows the line.
  Spawned(const Spawned&) = delete;  // trawl: what spawn returns stays in its frame; store a Lazy.
  Spawned& operator=(const Spawned&) = delete;
  ~Spawned() {
    if (slot_ != nullptr) withdraw(*pool_, slot_);
  }

  /// The result, from whoever made the call: here and now, if nobody has. To be called once: again
  /// it throws Error. Throws what the function threw.
  R sync() {
    // Not ours any more, whatever happens: here the compiler sees that the destructor has nothing
    // to do. For the same reason nothing below is told where this object lies.
    sched::Slot* const slot = std::exchange(slot_, nullptr);
    if (pool_->take_back(slot)) [[likely]]
      return call(slot, kept_);
    return sync_taken(*pool_, slot, kept_);
  }

 private:
  using Arguments = std::tuple<A...>;
  static constexpr bool in_slot = sched::Slot::fits<A...>;
  static constexpr const heap::Code& code =
      heap::thunk_code<heap::for_one_reader<Call, R>, R, A...>;

  /// What stays in the frame.
  struct Nothing {
    template <class... G>
    explicit Nothing(const G&...) {}
  };
  struct All {
    Arguments arguments;
    template <class... G>
    explicit All(G&&... given) : arguments(std::forward<G>(given)...) {}
  };
  using Kept = std::conditional_t<in_slot, Nothing, All>;
  using ToKept = std::conditional_t<in_slot, Nothing, All&>;

  static R call_with(heap::Passed<A>... arguments) {
    try {
      return Call{}(std::as_const(arguments)...);
    } catch (...) {
      heap::throw_as_value();  // the same as from another PE
    }
  }
  static R use(const Arguments& arguments) { return std::apply(&Spawned::call_with, arguments); }
  static R use_up(Arguments& kept) {
    return std::apply([](A&... each) { return call_with(take(each)...); }, kept);
  }
  // Nobody else looks into the frame any more: the compiler would leave out what clears it.
  template <class T>
  static heap::Passed<T> take(T& kept) {
    heap::Passed<T> taken = heap::take(kept);
    if constexpr (heap::is_taken<T>) asm volatile("" : : "r"(&kept) : "memory");
    return taken;
  }

  static R call(const sched::Slot* slot, [[maybe_unused]] ToKept kept) {
    if constexpr (in_slot)
      return use(Arguments(slot->arguments<Arguments>()));
    else
      return use_up(kept.arguments);
  }

  [[gnu::noinline, gnu::cold]] static R sync_taken(sched::OwnerEnd& pool, sched::Slot* slot,
                                                   [[maybe_unused]] ToKept kept) {
    if (heap::Node* node = sched::reclaim(pool, slot)) return detail::take<R>(node);
    if constexpr (in_slot) {
      const Arguments arguments = slot->arguments<Arguments>();
      pool.discard(slot);
      return use(arguments);
    } else {
      pool.discard(slot);
      return use_up(kept.arguments);
    }
  }

  [[gnu::noinline, gnu::cold]] static void withdraw(sched::OwnerEnd& pool,
                                                    sched::Slot* slot) noexcept {
    if (pool.take_back(slot)) return;
    sched::reclaim(pool, slot);
    pool.discard(slot);
  }

  [[no_unique_address]] Kept kept_;
  sched::OwnerEnd* pool_;  // its thread may have gone on elsewhere since
  sched::Slot* slot_;
};

namespace detail {

template <class Call, class R, class... A>
struct MakeSpawned {
  using type = Spawned<Call, R, A...>;
};

template <class R>
struct RefusedSpawn {
  R sync();
};

template <class S, bool Ok = S::ok>
struct spawned_of {
  template <class... G>
  static auto make(G&&...) {
    if constexpr (ResultKnown<S>)
      return RefusedSpawn<typename S::Result>();
    else
      return RefusedSpawn<Refused>();
  }
};
template <class S>
struct spawned_of<S, true> {
  using type = typename S::template Apply<MakeSpawned>::type;
  template <class... G>
  static type make(G&&... given) {
    return type(std::in_place, std::forward<G>(given)...);
  }
};

}  // namespace detail

/// `auto x = spawn<f>(arguments...); ...; use(x.sync());` — somebody who has nothing to do may make
/// the call meanwhile. F as for `lazy`.
template <auto F, class... A>
[[nodiscard("keep what spawn returns, and sync() it")]] auto spawn(A&&... arguments) {
  using Call = detail::call_of<F>;
  return detail::spawned_of<detail::suspension<Call, A...>>::make(std::forward<A>(arguments)...);
}

/// The same for a lambda or another stateless function object.
template <class F, class... A>
[[nodiscard("keep what spawn returns, and sync() it")]] auto spawn(F, A&&... arguments) {
  return detail::spawned_of<detail::suspension<F, A...>>::make(std::forward<A>(arguments)...);
}

}  // namespace trawl
