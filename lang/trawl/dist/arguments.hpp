// What a skeleton's function is given beside its element: plain values, lazy ones, or the element
// of another Dist that has the same place.
#pragma once

#include <cstddef>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <trawl/dist/everywhere.hpp>
#include <trawl/dist/value.hpp>

namespace trawl::detail {

template <class T>
inline constexpr bool is_dist = false;
template <class T>
inline constexpr bool is_dist<Dist<T>> = true;

template <class T>
inline constexpr bool is_spread = false;
template <class T>
inline constexpr bool is_spread<Dist<T>> = true;
template <class T>
inline constexpr bool is_spread<Everywhere<T>> = true;

/// A skeleton's own: something else for each shard.
template <class V>
struct OfShards {
  std::vector<V> values;
};

/// A shard of an argument that is distributed too.
template <class T>
struct Alongside {
  Lazy<Shard<T>> shard;
};

// ---- as they are stored in the thunk of shard i

/// An argument of some size is a thunk of its own: it is there once for all shards of a PE.
template <class A>
inline constexpr bool goes_by_itself = !heap::PointerFree<A> || sizeof(A) > 64;

template <class A>
auto shared_argument(const A& argument) {
  if constexpr (is_spread<A> || heap::NodeReference<A> || !goes_by_itself<A>)
    return argument;
  else
    return Lazy<A>(argument);
}

/// A text.
template <std::size_t N>
Lazy<std::string> shared_argument(const char (&text)[N]) {
  return Lazy<std::string>(std::string(text));
}

template <class V>
const OfShards<V>& shared_argument(const OfShards<V>& argument) {
  return argument;
}

template <class A>
const A& stored_for(const A& argument, std::size_t, Place) {
  return argument;
}
template <class T>
Alongside<T> stored_for(const Dist<T>& argument, std::size_t shard, Place) {
  return {argument.parts().shards.at(shard)};
}
template <class V>
const V& stored_for(const OfShards<V>& argument, std::size_t shard, Place) {
  return argument.values.at(shard);
}
template <class T>
Lazy<T> stored_for(const Everywhere<T>& argument, std::size_t, Place place) {
  return argument.at(place);
}

// ---- as they are looked at while a shard is gone through

template <class A>
struct Whole {
  const A& value;
  const A& all() const { return value; }
  const A& at(std::size_t) const { return value; }
};
template <class T>
struct Each {
  const std::vector<T>& values;
  const std::vector<T>& all() const { return values; }
  decltype(auto) at(std::size_t i) const { return values[i]; }
};

template <class A>
auto open(const A& stored) {
  return Whole<A>{stored};
}
template <class A>
auto open(const Lazy<A>& stored) {
  return Whole<A>{force(stored)};
}
template <class T>
auto open(const Alongside<T>& stored) {
  return Each<T>{force(force(stored.shard).elements)};
}

/// What F is called with for an element, and for a shard.
template <class Stored>
using element_argument = decltype(open(std::declval<const Stored&>()).at(0));
template <class Stored>
using shard_argument = decltype(open(std::declval<const Stored&>()).all());

template <class A>
void must_match(const A&, std::size_t, std::size_t) {}
template <class T>
void must_match(const Each<T>& other, std::size_t count, std::size_t shard) {
  if (other.values.size() != count)
    throw Error("shard " + std::to_string(shard) + " of a Dist has " + std::to_string(count) +
                " elements, and that of another in the same skeleton " +
                std::to_string(other.values.size()) + ": they have to be made alike");
}

template <class A>
void must_have_shards(const A&, std::size_t) {}
template <class T>
void must_have_shards(const Dist<T>& other, std::size_t count) {
  if (other.shards() != count)
    throw Error("a Dist of " + std::to_string(count) + " shards and one of " +
                std::to_string(other.shards()) +
                " can't be in the same skeleton: they have to be made alike");
}

}  // namespace trawl::detail
