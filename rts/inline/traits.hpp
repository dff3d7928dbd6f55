// What the runtime can find out about a type at compile time: may it travel, and how.
#pragma once

#include <array>
#include <complex>
#include <cstddef>
#include <functional>
#include <initializer_list>
#include <iterator>
#include <memory>
#include <optional>
#include <ranges>
#include <source_location>
#include <string>
#include <system_error>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

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

#include "fields.hpp"

namespace cereal::memory_detail {
template <class T>
struct PtrWrapper;
template <class Archive, class T>
struct LoadAndConstructLoadWrapper;
}  // namespace cereal::memory_detail

namespace trawl::heap {

struct Node;

/// A reference to a node: Lazy<T> is the only one.
template <class T>
concept NodeReference = requires {
  typename T::trawl_node_reference;
};

/// Without asking cereal, which takes a compiler long to answer.
template <class T>
inline constexpr bool is_vector = false;
template <class T, class A>
inline constexpr bool is_vector<std::vector<T, A>> = true;

/// What cereal wraps others in.
template <class T>
inline constexpr bool is_cereals_own = false;
template <class T>
inline constexpr bool is_cereals_own<cereal::NameValuePair<T>> = true;
template <class T>
inline constexpr bool is_cereals_own<cereal::SizeTag<T>> = true;
template <class T>
inline constexpr bool is_cereals_own<cereal::BinaryData<T>> = true;
template <class T>
inline constexpr bool is_cereals_own<cereal::memory_detail::PtrWrapper<T>> = true;
template <class A, class T>
inline constexpr bool is_cereals_own<cereal::memory_detail::LoadAndConstructLoadWrapper<A, T>> =
    true;

/// cereal knows a way: a standard type, or one with a `serialize`.
template <class T>
concept CerealKnows =
    is_vector<T> || is_cereals_own<T> ||
    cereal::traits::detail::count_output_serializers<T, cereal::BinaryOutputArchive>::value >
0;

template <class T>
struct is_smart_pointer : std::false_type {};
template <class T, class D>
struct is_smart_pointer<std::unique_ptr<T, D>> : std::true_type {};
template <class T>
struct is_smart_pointer<std::shared_ptr<T>> : std::true_type {};
template <class T>
struct is_smart_pointer<std::weak_ptr<T>> : std::true_type {};
template <class T>
struct is_smart_pointer<std::reference_wrapper<T>> : std::true_type {};

template <class T>
inline constexpr bool is_initializer_list = false;
template <class T>
inline constexpr bool is_initializer_list<std::initializer_list<T>> = true;

template <class T>
inline constexpr bool is_source_location = false;
#ifdef __cpp_lib_source_location  // clang 14, which checks the style, has none
template <>
inline constexpr bool is_source_location<std::source_location> = true;
#endif

/// Means something only where what it points to is: a view, an iterator, a smart pointer, and
/// classes of the standard library that hold a pointer.
template <class T>
concept PointsElsewhere = is_smart_pointer<T>::value || std::ranges::view<T> ||
    is_initializer_list<T> || std::is_same_v<T, std::error_code> ||
    std::is_same_v<T, std::error_condition> || is_source_location<T> ||
    (std::is_class_v<T>&& requires { typename std::iterator_traits<T>::iterator_category; });

namespace detail {

template <class Whole>
struct AnyBase {
  template <class T>
  // NOLINTNEXTLINE(google-explicit-constructor)
  requires(std::is_base_of_v<T, Whole> && !std::is_same_v<T, Whole>) operator T&() const;
};

// Without braces, an array takes a field for each of its elements; in braces it takes only one, and
// those that follow are too many.
template <class T, std::size_t... Before, std::size_t... After>
consteval bool is_array_field(std::index_sequence<Before...>, std::index_sequence<After...>) {
  return requires {
    T{AnyField{Before}..., {AnyField{0}}};
  }
  &&!requires {
    T{AnyField{Before}..., {AnyField{0}}, AnyField{After}...};
  };
}

template <class T>
consteval bool can_take_apart() {
  if constexpr (std::is_empty_v<T>) {
    return true;
  } else if constexpr (requires { T{AnyBase<T>()}; }) {
    return false;
  } else {
    constexpr auto fields = count_fields<T>();
    if constexpr (fields > 100)
      return false;
    else
      return []<std::size_t... I>(std::index_sequence<I...>) {
        return !(is_array_field<T>(std::make_index_sequence<I>(),
                                   std::make_index_sequence<fields - I - 1>()) ||
                 ...);
      }
    (std::make_index_sequence<fields>());
  }
}

}  // namespace detail

/// An aggregate that can only be packed if it says how.
template <class T>
concept OpaqueAggregate = std::is_aggregate_v<T> && std::is_class_v<T> && !NodeReference<T> &&
                          !CerealKnows<T> && !detail::can_take_apart<T>();

/// Is packed field by field (Boost.PFR): no C arrays, no base classes, at most 100 fields.
template <class T>
concept PlainAggregate = std::is_aggregate_v<T> && std::is_class_v<T> && !NodeReference<T> &&
                         !CerealKnows<T> && detail::can_take_apart<T>();

/// A class that may be copied as bytes and says nothing about how it wants to be packed.
template <class T>
concept PlainClass =
    std::is_class_v<T> && std::is_trivially_copyable_v<T> && !std::is_aggregate_v<T> &&
    !NodeReference<T> && !CerealKnows<T> && !PointsElsewhere<T>;

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
  else if constexpr (PlainClass<T> || (PlainAggregate<T> && std::is_empty_v<T>))
    return true;
  else if constexpr (PlainAggregate<T>)
    return []<std::size_t... I>(std::index_sequence<I...>) {
      return (plain_bytes<Leaf, detail::field_t<I, T>>() && ...);
    }
  (detail::field_places<T>());
  else return false;
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

template <class T>
consteval bool owns_plain_arrays();

template <class T>
struct parts_own_plain_arrays : std::false_type {};
template <class T, std::size_t N>
struct parts_own_plain_arrays<std::array<T, N>> : std::bool_constant<owns_plain_arrays<T>()> {};
template <class T>
struct parts_own_plain_arrays<std::optional<T>> : std::bool_constant<owns_plain_arrays<T>()> {};
template <class T, class U>
struct parts_own_plain_arrays<std::pair<T, U>>
    : std::bool_constant<owns_plain_arrays<T>() && owns_plain_arrays<U>()> {};
template <class... T>
struct parts_own_plain_arrays<std::tuple<T...>>
    : std::bool_constant<(owns_plain_arrays<T>() && ...)> {};
template <class... T>
struct parts_own_plain_arrays<std::variant<T...>>
    : std::bool_constant<(owns_plain_arrays<T>() && ...)> {};

template <class T>
consteval bool owns_plain_arrays() {
  if constexpr (PointerFree<T> || NodeReference<T> || is_plain_array<T>::value)
    return true;
  else if constexpr (PlainAggregate<T> && !std::is_empty_v<T>)
    return []<std::size_t... I>(std::index_sequence<I...>) {
      return (owns_plain_arrays<detail::field_t<I, T>>() && ...);
    }
  (detail::field_places<T>());
  else return parts_own_plain_arrays<T>::value;
}

}  // namespace detail

/// All memory that a value owns is plain arrays: the collector need not scan it. (What it refers to
/// in place is another matter.)
template <class T>
concept OwnsPlainArrays = detail::owns_plain_arrays<T>();

namespace detail {

template <class T, class... Above>
consteval bool can_travel();

// Allocators, comparators and the like always may.
template <class T, class... Above>
consteval bool member_travels() {
  if constexpr (std::is_empty_v<T> && std::is_default_constructible_v<T>)
    return true;
  else
    return can_travel<T, Above...>();
}

// A type of the user's, with a serialize function beside it.
template <class T, class... Above>
struct members_travel : std::true_type {};
template <template <class...> class C, class... A, class... Above>
struct members_travel<C<A...>, Above...> {
  static constexpr bool value = (member_travels<A, C<A...>, Above...>() && ...);
};
template <class T, std::size_t N, class... Above>
struct members_travel<std::array<T, N>, Above...> {
  static constexpr bool value = can_travel<T, std::array<T, N>, Above...>();
};

/// Its comparator, or hash function, has no members: these would not travel.
template <class T>
consteval bool is_ordered_by_type() {
  if constexpr (requires { typename T::key_compare; })
    return std::is_empty_v<typename T::key_compare>;
  else if constexpr (requires {
                       typename T::hasher;
                       typename T::key_equal;
                     })
    return std::is_empty_v<typename T::hasher> && std::is_empty_v<typename T::key_equal>;
  else
    return true;
}

template <class T>
concept UserSerialises = requires(T& t, cereal::BinaryOutputArchive& a) {
  cereal::access::member_serialize(a, t);
}
|| requires(T& t, cereal::BinaryOutputArchive& a) {
  cereal::access::member_save(a, t);
}
|| requires(T& t, cereal::BinaryOutputArchive& a) {
  cereal::access::member_save_minimal(a, t);
};

/// `Above` are the types that this one is a part of: recursive types are taken at their word.
template <class T, class... Above>
consteval bool can_travel() {
  if constexpr (std::is_const_v<T>)  // it could not be filled in
    return false;
  else if constexpr ((std::is_same_v<T, Above> || ...))
    return true;
  else if constexpr (std::is_arithmetic_v<T> || std::is_enum_v<T> || NodeReference<T>)
    return true;
  else if constexpr (!std::is_class_v<T> || std::is_polymorphic_v<T> || PointsElsewhere<T> ||
                     !std::is_default_constructible_v<T> || !std::is_move_constructible_v<T>)
    return false;
  else if constexpr (UserSerialises<T>)
    return true;
  else if constexpr (CerealKnows<T>)
    return is_ordered_by_type<T>() && members_travel<T, Above...>::value;
  else if constexpr (!std::is_copy_constructible_v<T>)  // Boost.PFR can't take it apart
    return false;
  else if constexpr (PlainClass<T> || (PlainAggregate<T> && std::is_empty_v<T>))
    return true;
  else if constexpr (PlainAggregate<T>)
    return []<std::size_t... I>(std::index_sequence<I...>) {
      return (can_travel<detail::field_t<I, T>, T, Above...>() && ...);
    }
  (detail::field_places<T>());
  else return false;
}

}  // namespace detail

/// May be an argument or a result of a thunk: can be packed, unpacked (made by default, then filled
/// in), and copied or moved into a node.
template <class T>
concept Serialisable = detail::can_travel<T>();

}  // namespace trawl::heap
