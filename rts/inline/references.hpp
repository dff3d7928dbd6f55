// Does a class with a `serialize` of its own hold references to nodes? Only what it hands to its
// archive tells.
#pragma once

#include <string_view>
#include <type_traits>

#include "serial.hpp"

namespace trawl::heap {

/// Known before main, of types of which `seek_references` is instantiated.
template <class T>
inline constinit bool holds_references = false;

/// Never given anything: that the compiler makes the function which would give it a reference to a
/// node says that a Whole may hold one, in whatever it consists of.
template <class Whole>
class Seeker : public cereal::OutputArchive<Seeker<Whole>> {
 public:
  Seeker() : cereal::OutputArchive<Seeker<Whole>>(this) {}

  void note_reference() const noexcept { found.note(); }

 private:
  struct Found {
    Found() noexcept { holds_references<Whole> = true; }
    void note() const noexcept {}
  };
  static inline const Found found;  // made if note_reference is
};

template <class Whole, Direct T>
void CEREAL_SAVE_FUNCTION_NAME(Seeker<Whole>& seeker, [[maybe_unused]] const T& value) {
  if constexpr (NodeReference<T>)
    seeker.note_reference();
  else if constexpr (PlainAggregate<T> && !std::is_empty_v<T>)
    detail::each_field(value, [&seeker](const auto& field) { seeker(field); });
}
template <class Whole, class T>
void CEREAL_SAVE_FUNCTION_NAME(Seeker<Whole>&, const cereal::BinaryData<T>&) {}
template <class Whole, class T>
void CEREAL_SAVE_FUNCTION_NAME(Seeker<Whole>&, const cereal::SizeTag<T>&) {}
template <class Whole, class T>
void CEREAL_SERIALIZE_FUNCTION_NAME(Seeker<Whole>& seeker, cereal::NameValuePair<T>& pair) {
  seeker(pair.value);
}

template <class T>
void seek_references(Seeker<T>& seeker, const T& value) {
  seeker(value);
}

/// May what a T consists of refer to nodes?
template <class T>
bool may_refer() noexcept {
  if constexpr (PointerFree<T>) {
    return false;
  } else {
    asm volatile("" : : "r"(&seek_references<T>));  // so that it is made
    return holds_references<T>;
  }
}

}  // namespace trawl::heap

namespace cereal::traits::detail {
template <class Whole>
struct get_input_from_output<trawl::heap::Seeker<Whole>> {
  using type = trawl::heap::InArchive;
};
}  // namespace cereal::traits::detail
