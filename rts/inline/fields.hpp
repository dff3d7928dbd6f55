// The fields of an aggregate, one after the other.
#pragma once

#include <cstddef>
#include <type_traits>
#include <utility>

#include <boost/pfr.hpp>

namespace trawl::heap::detail {

struct AnyField {
  std::size_t place;
  template <class T>
  operator T&() const&;  // NOLINT(google-explicit-constructor)
  template <class T>
  operator T&() const&&;  // NOLINT(google-explicit-constructor)
};

template <class T, std::size_t... I>
consteval bool takes_fields(std::index_sequence<I...>) {
  return requires {
    T{AnyField{I}...};
  };
}

template <class T, std::size_t Counted = 0>
consteval std::size_t count_fields() {
  if constexpr (Counted <= 100 && takes_fields<T>(std::make_index_sequence<Counted + 1>()))
    return count_fields<T, Counted + 1>();
  else
    return Counted;
}

/// Of an aggregate that can be taken apart (PlainAggregate), without bases or C arrays.
template <class T>
inline constexpr std::size_t field_count = count_fields<std::remove_cv_t<T>>();

/// References to them. Boost.PFR is told how many there are: it looks for their number among all up
/// to 8 sizeof(T), which takes a compiler minutes where a field is an array of 800 KB.
template <class T>
constexpr auto fields_of(T& value) noexcept {
  namespace pfr = boost::pfr::detail;
  return pfr::tie_as_tuple(value, pfr::size_t_<field_count<T>>());
}

template <std::size_t I, class T>
constexpr auto& field_of(T& value) noexcept {
  return boost::pfr::detail::sequence_tuple::get<I>(fields_of(value));
}

template <std::size_t I, class T>
using field_t = std::remove_reference_t<decltype(field_of<I>(std::declval<T&>()))>;

template <class T>
using field_places = std::make_index_sequence<field_count<T>>;

template <class T, class F>
[[gnu::always_inline]] constexpr void each_field(T& value, F&& f) {
  [[maybe_unused]] const auto fields = fields_of(value);
  [&]<std::size_t... I>(std::index_sequence<I...>) {
    (f(boost::pfr::detail::sequence_tuple::get<I>(fields)), ...);
  }
  (field_places<T>());
}

}  // namespace trawl::heap::detail
