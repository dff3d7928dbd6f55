// Nodes of a known type: how a function and its result sit in a node (its arguments:
// arguments.hpp).
#pragma once

#include <algorithm>
#include <cstring>
#include <new>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

#include "arguments.hpp"
#include "code.hpp"
#include "exception.hpp"
#include "held.hpp"
#include "lifetime.hpp"
#include "memory.hpp"
#include "node.hpp"
#include "serial.hpp"
#include "traits.hpp"

namespace trawl::heap {

/// Tells everybody in the blocking queue of a node of this PE that it has finished
/// (shared_heap.hpp).
void notify_waiters(Node* node);

inline constexpr std::size_t failure_offset = sizeof(Node::word);

inline Failure*& failure_of(Node* node) {
  return *reinterpret_cast<Failure**>(node->payload(failure_offset));
}

/// What is being handled at this moment is the outcome of a thunk under evaluation. False: it
/// needed what was lost with a PE, but can be made again (rts/recover), by `remake`, with nothing
/// handled.
[[gnu::cold]] bool fail(Node* node);
[[gnu::cold]] void remake(Node* node);

inline void finish(Node* node, State outcome) {
  if ((node->settle(State::black_hole, outcome) & Node::waited) != 0) [[unlikely]]
    notify_waiters(node);
}

/// Nodes whose result is an R. The result's place is the same whatever function computed it.
template <class R>
struct ResultOf {
  static_assert(alignof(R) <= 16, "trawl: a result may not be aligned to more than 16 bytes.");
  static constexpr std::size_t offset = payload_offset<Held<R>>;
  static constexpr std::size_t bytes = std::max(offset + sizeof(Held<R>), sizeof(Node));
  static constexpr std::size_t plain = RawBytes<R> ? sizeof(R) : 0;

  static Held<R>& held(Node* node) {
    // Not null: who asks for a value has seen that there is one.
    // NOLINTNEXTLINE(clang-analyzer-core.CallAndMessage)
    return *std::launder(reinterpret_cast<Held<R>*>(node->payload(offset)));
  }
  static const R& get(Node* node) { return held(node).value; }
  template <class U>
  static void put(Node* node, U&& result) {
    new (node->payload(offset)) Held<R>(std::forward<U>(result));
    if constexpr (destructor_runs<R>) destroy_at_death(node);
  }

  static void pack_value(Node* node, Packer& to) { pack(to, get(node)); }
  static trawl::detail::Shape tell(Node* node) { return get(node).trawl_told(); }
  static void unpack_value(Node* node, Unpacker& from) {
    unpack_held(from, *made_to_unpack<Held<R>>(node->payload(offset)));
    if constexpr (destructor_runs<R>) destroy_at_death(node);
  }

  // For one reader: see OneReader.

  static void put_as_it_is(Node* node, R&& result) {
    new (node->payload(offset)) Held<R>(AsItIs(), std::move(result));
    destroy_at_death(node);
  }
  static void unpack_as_it_is(Node* node, Unpacker& from) {
    unpack(from, made_to_unpack<Held<R>>(node->payload(offset))->value);
    destroy_at_death(node);
  }
  /// Nobody may look at it from now on.
  static R take(Node* node) {
    const Emptied emptied{node};
    return std::move(held(node).value);
  }

 private:
  struct Emptied {
    Node* node;
    ~Emptied() {
      held(node).~Held();
      if constexpr (!std::is_trivially_destructible_v<R>) on_death(node, nullptr, nullptr);
    }
  };

  static void destroy_at_death(Node* node) {
    on_death_of_owner(node, [](void* object, void*) {
      auto* dead = static_cast<Node*>(object);
      if (dead->state() == State::value) held(dead).~Held();
    });
  }
};

enum class Stay : bool { no, yes };

template <class R, Stay Kept>
struct ValueCode : Code {
  static constexpr std::string_view spell() { return __PRETTY_FUNCTION__; }

  ValueCode() : Code(spell(), &type_tag<R>, ResultOf<R>::bytes) {
    evaluate = nullptr;
    promote = nullptr;
    kept = Kept == Stay::yes;
    drop_arguments = nullptr;
    move_arguments = nullptr;
    pack_arguments = nullptr;
    unpack_arguments = nullptr;
    result_at = ResultOf<R>::offset;
    plain_result = ResultOf<R>::plain;
    pack_value = &ResultOf<R>::pack_value;
    unpack_value = &ResultOf<R>::unpack_value;
    if constexpr (Telling<R>) tell = &ResultOf<R>::tell;
  }
};

template <class R, Stay Kept = Stay::no>
inline const ValueCode<R, Kept> value_code;

template <class R, Stay Kept = Stay::no, class U>
Node* make_value(U&& value) {
  auto* node = static_cast<Node*>(allocate(ResultOf<R>::bytes));
  ResultOf<R>::put(node, std::forward<U>(value));
  node->init(value_code<R, Kept>, State::value);
  return node;
}

/// A suspended call of a stateless function object.
template <class Call, class R, class... A>
struct Thunk {
  using Arguments = ArgumentsOf<A...>;
  static constexpr std::size_t bytes = std::max(ResultOf<R>::bytes, Arguments::bytes);

  template <std::size_t I>
  static auto& argument(Node* node) {
    return heap::argument<I>(Arguments::of(node));
  }

  static R call(Passed<A>... arguments) { return Call{}(std::as_const(arguments)...); }

  /// Makes the call, and is done with the arguments however it ends.
  static R use_up(Node* node) {
    struct Guard {
      Node* node;
      ~Guard() { Arguments::drop(node); }
    };
    const Guard guard{node};
    return Arguments::of(node).visit(
        [](Held<A>&... each) -> R { return call(take(each.value)...); });
  }

  static void evaluate(Node* node) {
    bool lost = false;
    try {
      R result = use_up(node);
      if constexpr (has_one_reader<Call>)
        ResultOf<R>::put_as_it_is(node, std::move(result));
      else
        ResultOf<R>::put(node, std::move(result));
    } catch (...) {
      if (fail(node)) return;
      lost = true;
    }
    if (lost) [[unlikely]]
      return remake(node);
    finish(node, State::value);
  }

  /// An A for each, or an A& or const A& to be copied.
  template <class... G>
  static Node* make(G&&... given);
};

template <class Call, class R, class... A>
struct ThunkCode : Code {
  using T = Thunk<Call, R, A...>;
  static constexpr std::string_view spell() { return __PRETTY_FUNCTION__; }

  ThunkCode() : Code(spell(), &type_tag<R>, T::bytes) {
    evaluate = &T::evaluate;
    placed = is_placed<Call>;
    step = is_step<Call>;
    writes = is_write<Call>;
    if constexpr (tells_of_others<R>)
      subject = [](Node* node) -> const Node* {
        const auto& all = T::template argument<0>(node);
        return all.empty() || !all.front() ? node : all.front().node();
      };
    promote = &ArgumentsOf<A...>::promote;
    drop_arguments = &ArgumentsOf<A...>::drop;
    move_arguments = &ArgumentsOf<A...>::move;
    pack_arguments = &ArgumentsOf<A...>::pack;
    unpack_arguments = &ArgumentsOf<A...>::unpack;
    result_at = ResultOf<R>::offset;
    plain_result = ResultOf<R>::plain;
    pack_value = &ResultOf<R>::pack_value;
    if constexpr (has_one_reader<Call>)
      unpack_value = &ResultOf<R>::unpack_as_it_is;
    else
      unpack_value = &ResultOf<R>::unpack_value;
    if constexpr (Telling<R>) tell = &ResultOf<R>::tell;
  }
};

template <class Call, class R, class... A>
inline const ThunkCode<Call, R, A...> thunk_code;

template <class Call, class R, class... A>
template <class... G>
Node* Thunk<Call, R, A...>::make(G&&... given) {
  return ArgumentsOf<A...>::make(thunk_code<Call, R, A...>, bytes, std::forward<G>(given)...);
}

}  // namespace trawl::heap
