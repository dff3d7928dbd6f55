// What the runtime can find out about a type at compile time: may it travel, and how.
#pragma once

#include <array>
#include <complex>
#include <cstddef>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <boost/pfr.hpp>
#include <cereal/archives/binary.hpp>
#include <cereal/types/array.hpp>
#include <cereal/types/chrono.hpp>
#include <cereal/types/complex.hpp>
#include <cereal/types/deque.hpp>
#include <cereal/types/forward_list.hpp>
#include <cereal/types/list.hpp>
#include <cereal/types/map.hpp>
#include <cereal/types/optional.hpp>
#include <cereal/types/queue.hpp>
#include <cereal/types/set.hpp>
#include <cereal/types/stack.hpp>
#include <cereal/types/string.hpp>
#include <cereal/types/tuple.hpp>
#include <cereal/types/unordered_map.hpp>
#include <cereal/types/unordered_set.hpp>
#include <cereal/types/utility.hpp>
#include <cereal/types/variant.hpp>
#include <cereal/types/vector.hpp>

namespace trawl::heap {

struct Node;

/// A reference to a node: Lazy<T> is the only one.
template <class T>
concept NodeReference = requires { typename T::trawl_node_reference; };

/// cereal knows a way: a standard type, or one with a `serialize`.
template <class T>
concept CerealKnows =
    cereal::traits::detail::count_output_serializers<T, cereal::BinaryOutputArchive>::value > 0;

template <class T>
concept PlainAggregate =
    std::is_aggregate_v<T> && std::is_class_v<T> && !CerealKnows<T> && !NodeReference<T>;

/// A class that may be copied as bytes and says nothing about how it wants to be packed.
template <class T>
concept PlainClass = std::is_class_v<T> && std::is_trivially_copyable_v<T> &&
                     !std::is_aggregate_v<T> && !CerealKnows<T> && !NodeReference<T>;

template <class T>
struct element_of {};
template <class T, std::size_t N>
struct element_of<std::array<T, N>> : std::type_identity<T> {};
template <class T>
struct element_of<std::complex<T>> : std::type_identity<T> {};

namespace detail {

/// Whether all leaves of a type satisfy Leaf, where the whole is nothing but its bytes.
template <class Leaf, class T>
consteval bool plain_bytes() {
  if constexpr (std::is_arithmetic_v<T> || std::is_enum_v<T>)
    return Leaf::template ok<T>;
  else if constexpr (!std::is_trivially_copyable_v<T> || NodeReference<T> || !std::is_class_v<T>)
    return false;
  else if constexpr (requires { typename element_of<T>::type; })
    return plain_bytes<Leaf, typename element_of<T>::type>();
  else if constexpr (PlainClass<T>)
    return true;
  else if constexpr (PlainAggregate<T>)
    return []<std::size_t... I>(std::index_sequence<I...>) {
      return (plain_bytes<Leaf, boost::pfr::tuple_element_t<I, T>>() && ...);
    }(std::make_index_sequence<boost::pfr::tuple_size_v<T>>());
  else
    return false;
}

struct AnyLeaf {
  template <class>
  static constexpr bool ok = true;
};
struct AnyBitsLeaf {
  template <class T>
  static constexpr bool ok = !std::is_same_v<T, bool>;
};

}  // namespace detail

/// Neither nodes nor pointers inside: the collector need not scan an array of these.
template <class T>
concept PointerFree = detail::plain_bytes<detail::AnyLeaf, T>();

/// As PointerFree, and any bytes are a valid object: may be packed by copying.
template <class T>
concept RawBytes = detail::plain_bytes<detail::AnyBitsLeaf, T>() && !std::is_empty_v<T>;

/// Containers with one block of plain elements, which the collector need not scan.
template <class T>
struct is_plain_array : std::false_type {};
template <PointerFree T>
struct is_plain_array<std::vector<T>> : std::bool_constant<!std::is_same_v<T, bool>> {};
template <class C, class Traits>
struct is_plain_array<std::basic_string<C, Traits>> : std::true_type {};

namespace detail {

template <class T, class... Above>
consteval bool can_travel();

template <class T, class... Above>
struct members_travel {
  static constexpr bool value = false;
};
template <template <class...> class C, class... A, class... Above>
struct members_travel<C<A...>, Above...> {
  // Allocators, comparators and the like are empty classes and always may.
  static constexpr bool value = ((std::is_empty_v<A> || can_travel<A, C<A...>, Above...>()) && ...);
};
template <class T, std::size_t N, class... Above>
struct members_travel<std::array<T, N>, Above...> {
  static constexpr bool value = can_travel<T, std::array<T, N>, Above...>();
};

template <class T>
concept UserSerialises =
    requires(T& t, cereal::BinaryOutputArchive& a) { cereal::access::member_serialize(a, t); } ||
    requires(T& t, cereal::BinaryOutputArchive& a) { cereal::access::member_save(a, t); } ||
    requires(T& t, cereal::BinaryOutputArchive& a) { cereal::access::member_save_minimal(a, t); };

/// `Above` are the types that this one is a part of: recursive types are taken at their word.
template <class T, class... Above>
consteval bool can_travel() {
  if constexpr ((std::is_same_v<T, Above> || ...))
    return true;
  else if constexpr (std::is_arithmetic_v<T> || std::is_enum_v<T> || NodeReference<T> ||
                     PlainClass<T>)
    return true;
  else if constexpr (!std::is_class_v<T> || std::is_polymorphic_v<T>)
    return false;
  else if constexpr (UserSerialises<T>)
    return true;
  else if constexpr (CerealKnows<T>)
    return members_travel<T, Above...>::value;
  else if constexpr (PlainAggregate<T>)
    return []<std::size_t... I>(std::index_sequence<I...>) {
      return (can_travel<boost::pfr::tuple_element_t<I, T>, T, Above...>() && ...);
    }(std::make_index_sequence<boost::pfr::tuple_size_v<T>>());
  else
    return false;
}

}  // namespace detail

/// May be an argument or a result of a thunk: can be packed, unpacked, and copied into a node.
template <class T>
concept Serialisable = detail::can_travel<T>() && std::is_copy_constructible_v<T>;

}  // namespace trawl::heap
