// The arguments of a suspended call in its node. Whatever is called with arguments of the same
// types shares this: a program has few lists of types and many functions.
#pragma once

#include <cstddef>
#include <cstring>
#include <new>
#include <tuple>
#include <type_traits>
#include <utility>

#include "code.hpp"
#include "held.hpp"
#include "lifetime.hpp"
#include "node.hpp"
#include "serial.hpp"
#include "traits.hpp"

namespace trawl::heap {

// What is small and refers to others is taken out of where it lies before the call: what only it
// refers to may be collected while the function runs, as it walks down a list, say. (What is empty
// is not: in a tuple it may lie where its neighbours do.)
template <class T>
inline constexpr bool is_copied_freely =
    std::is_trivially_copy_constructible_v<T> || NodeReference<T>;
template <class T>
inline constexpr bool is_taken = is_copied_freely<T>&& std::is_trivially_destructible_v<T> &&
                                 !std::is_empty_v<T> && !RawBytes<T> && sizeof(T) <= 64;
template <class T>
using Passed = std::conditional_t<is_taken<T>, T, const T&>;

template <class T>
Passed<T> take(T& argument) {
  if constexpr (is_taken<T>) {
    const T value = argument;
    std::memset(static_cast<void*>(&argument), 0, sizeof argument);
    return value;
  } else {
    return argument;
  }
}

template <std::size_t I, class A>
struct Argument {
  [[no_unique_address]] Held<A> held;
};

template <std::size_t I, class A>
A& argument(Argument<I, A>& argument) {
  return argument.held.value;
}

/// (A std::tuple of them takes the compiler several times as long.)
template <class Places, class... A>
struct HeldArguments;
template <std::size_t... I, class... A>
struct HeldArguments<std::index_sequence<I...>, A...> : Argument<I, A>... {
  HeldArguments() = default;
  template <class... G>
  requires(sizeof...(G) == sizeof...(A)) explicit HeldArguments(std::in_place_t, G&&... given)
      : Argument<I, A>{Held<A>(std::forward<G>(given))}... {}

  template <class Visit>
  decltype(auto) visit(Visit visit) {
    return visit(Argument<I, A>::held...);
  }
};

/// Nodes whose arguments are A...
template <class... A>
struct ArgumentsOf {
  using Places = std::index_sequence_for<A...>;
  using Arguments = HeldArguments<Places, A...>;
  static_assert(alignof(Arguments) <= 16,
                "trawl: an argument may not be aligned to more than 16 bytes.");
  static constexpr std::size_t offset = payload_offset<Arguments>;
  static constexpr std::size_t bytes = offset + sizeof(Arguments);

  static Arguments& of(Node* node) {
    return *std::launder(reinterpret_cast<Arguments*>(node->payload(offset)));
  }

  /// A new thunk, of `node_bytes`: while static objects are made, `code` may not say it yet. Given
  /// are an A for each, or an A& or const A& to be copied.
  template <class... G>
  static Node* make(const Code& code, std::size_t node_bytes, G&&... given) {
    auto* node = static_cast<Node*>(allocate(node_bytes));
    new (node->payload(offset)) Arguments(std::in_place, std::forward<G>(given)...);
    node->init(code, State::unevaluated);
    destroy_at_death(node);
    return node;
  }

  // Who takes a call has it to himself: its spawner won't look at them again.
  static Node* promote(const Code& code, const void* frame_arguments) {
    auto& given = *static_cast<std::tuple<A...>*>(const_cast<void*>(frame_arguments));
    return [&]<std::size_t... I>(std::index_sequence<I...>) {
      Node* node = make(code, code.bytes, std::move(std::get<I>(given))...);
      (take(std::get<I>(given)), ...);
      return node;
    }
    (Places());
  }

  // A Lazy is trivially destroyed, and would keep what it refers to alive as long as the node
  // lives: a thunk that has gone to another PE never gets its result, which would overwrite it.
  static void drop(Node* node) {
    of(node).~Arguments();
    if constexpr (are_destroyed) on_death(node, nullptr, nullptr);
    if constexpr (!std::is_trivially_destructible_v<Arguments> || !(PointerFree<A> && ...)) {
      void* const gone = node->payload(offset);
      std::memset(gone, 0, sizeof(Arguments));
      asm volatile("" : : "r"(gone) : "memory");  // also where nothing seems to read it
    }
  }

  static void move(Node* from, Node* to) {
    new (to->payload(offset)) Arguments(std::move(of(from)));
    destroy_at_death(to);
    drop(from);
  }

  static void pack(Node* node, Packer& to) {
    of(node).visit([&to](const auto&... each) { (heap::pack(to, each.value), ...); });
  }

  static void unpack(Node* node, Unpacker& from) {
    auto& fresh = *made_to_unpack<Arguments>(node->payload(offset));
    fresh.visit([&from](auto&... each) { (unpack_held(from, each), ...); });
    destroy_at_death(node);
  }

 private:
  static constexpr bool are_destroyed = (destructor_runs<A> || ...);

  static void destroy_at_death([[maybe_unused]] Node* node) {
    if constexpr (are_destroyed)
      on_death_of_owner(node, [](void* object, void*) {
        auto* dead = static_cast<Node*>(object);
        const auto state = dead->state();
        if (state == State::unevaluated || state == State::exported) of(dead).~Arguments();
      });
  }
};

}  // namespace trawl::heap
