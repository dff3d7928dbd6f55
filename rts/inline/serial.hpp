// Values to bytes and back, by type: a copy for plain bytes, field by field for aggregates, an
// index into the packet for references to nodes, and cereal for what it knows.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <limits>
#include <map>
#include <new>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "memory.hpp"
#include "packer.hpp"
#include "traits.hpp"

namespace trawl::heap {

inline constexpr std::uint32_t no_place = std::numeric_limits<std::uint32_t>::max();

/// The address of this tells types apart.
template <class T>
inline constexpr char type_tag = 0;

/// Who handles nodes without looking into them refers to `Lazy<Anything>`: of whatever type.
struct Anything {};

/// What a node has to be for who refers to a T there; nullptr: anything.
template <class T>
inline constexpr const void* expected_type = &type_tag<T>;
template <>
inline constexpr const void* expected_type<Anything> = nullptr;

template <class T>
struct is_raw_vector : std::false_type {};
template <RawBytes T, class A>
struct is_raw_vector<std::vector<T, A>> : std::true_type {};

/// Of elements that each have their own way.
template <class T>
struct is_vector_of_parts : std::false_type {};
template <class T, class A>
struct is_vector_of_parts<std::vector<T, A>>
    : std::bool_constant<!RawBytes<T> && !std::is_same_v<T, bool>> {};

/// What cereal knows nothing of.
template <class T>
concept Direct = std::is_arithmetic_v<T> || NodeReference<T> || PlainClass<T> || PlainAggregate<T>;

// ---- arrays ------------------------------------------------------------------------------------

inline constexpr std::uint64_t lent = std::uint64_t{1} << 63U;  // in place of elements: a Loan

// Arrays of plain bytes travel in one piece, not element by element, or stay where they are.
template <class T, class A>
void write_array(Packer& to, const std::vector<T, A>& values) {
  const auto size = static_cast<std::uint64_t>(values.size());
  const auto bytes = std::as_bytes(std::span(values));
  if (const auto loan = to.lend(bytes)) {
    to.put(size | lent);
    to.put(*loan);
    return;
  }
  to.put(size);
  to.array(bytes);
}

template <class T>
inline constexpr std::size_t piece_of = (long_piece + sizeof(T) - 1) / sizeof(T);

// Piece by piece: what resize clears is still in the cache when it is read into.
template <class T, class A>
void read_lent(Unpacker& from, std::uint64_t size, std::vector<T, A>& values) {
  constexpr auto piece = piece_of<T>;
  const auto loan = from.in().get<Loan>();
  if (size > std::numeric_limits<std::uint64_t>::max() / sizeof(T))
    throw BadBytes("a container in it claims to be longer than memory");
  from.packet().borrow(loan, size * sizeof(T));
  values.clear();
  values.reserve(static_cast<std::size_t>(size));
  while (values.size() < size) {
    const auto begin = values.size();
    values.resize(std::min<std::size_t>(begin + piece, size));
    from.packet().read(loan, begin * sizeof(T),
                       std::as_writable_bytes(std::span(values).subspan(begin)));
  }
}

/// Reads values that may lie anywhere in memory.
template <class T>
class Scattered {
 public:
  using iterator_category = std::random_access_iterator_tag;
  using value_type = T;
  using difference_type = std::ptrdiff_t;
  using pointer = const T*;
  using reference = T;

  explicit Scattered(const std::byte* at) : at_(at) {}
  T operator*() const {
    T value;
    std::memcpy(&value, at_, sizeof value);
    return value;
  }
  Scattered& operator++() {
    at_ += sizeof(T);
    return *this;
  }
  Scattered operator++(int) {
    auto before = *this;
    ++*this;
    return before;
  }
  Scattered& operator--() {
    at_ -= sizeof(T);
    return *this;
  }
  Scattered& operator+=(difference_type n) {
    at_ += n * static_cast<difference_type>(sizeof(T));
    return *this;
  }
  friend difference_type operator-(Scattered a, Scattered b) {
    return (a.at_ - b.at_) / static_cast<difference_type>(sizeof(T));
  }
  friend bool operator==(Scattered, Scattered) = default;

 private:
  const std::byte* at_;
};

template <class T, class A>
void read_array(Unpacker& from, std::vector<T, A>& values) {
  // In a value that is the program's own, this is too.
  const bool owned = storage_now() != Storage::scanned;
  const StorageScope scope(owned ? Storage::owned_plain : Storage::scanned);
  const auto size = from.in().get<std::uint64_t>();
  if ((size & lent) != 0) return read_lent(from, size & ~lent, values);
  if (size > from.in().left() / sizeof(T))
    throw BadBytes("a container in it claims to be longer than it is");
  values.clear();
  values.reserve(static_cast<std::size_t>(size));
  while (values.size() < size) {
    const auto begin = values.size();
    const auto count = std::min<std::size_t>(piece_of<T>, size - begin);
    const auto bytes = from.in().slice(count * sizeof(T));
    if constexpr (sizeof(T) >= 4) {
      // Written once: it is not cleared first.
      values.insert(values.end(), Scattered<T>(bytes.data()),
                    Scattered<T>(bytes.data() + bytes.size()));
    } else {
      values.resize(begin + count);
      std::memcpy(values.data() + begin, bytes.data(), bytes.size());
    }
    if (count == piece_of<T>) from.packet().look_around();
  }
}

// Every element takes at least a byte (see MayTakeNothing), so a longer container than what is left
// is a lie; believing it would allocate whatever the liar says.
inline std::uint64_t read_count(Unpacker& from) {
  const auto count = from.in().get<std::uint64_t>();
  if (count > from.in().left()) throw BadBytes("a container in it claims to be longer than it is");
  return count;
}

// ---- values of one size ------------------------------------------------------------------------

/// The bytes that any T takes in a packet; 0: that depends.
template <class T>
constexpr std::size_t fixed_size() {
  if constexpr (RawBytes<T> || PlainClass<T> || std::is_same_v<T, bool>) {
    return sizeof(T);
  } else if constexpr (NodeReference<T>) {
    return sizeof(std::uint32_t);
  } else if constexpr (PlainAggregate<T> && std::is_empty_v<T>) {
    return 1;
  } else if constexpr (PlainAggregate<T>) {
    return []<std::size_t... field>(std::index_sequence<field...>) {
      const std::size_t sizes[] = {fixed_size<detail::field_t<field, T>>()...};
      std::size_t sum = 0;
      for (const auto size : sizes) {
        if (size == 0) return std::size_t{0};
        sum += size;
      }
      return sum;
    }
    (detail::field_places<T>());
  } else {
    return 0;
  }
}

// `left` bytes from `at` on have been claimed.
template <class T>
[[gnu::always_inline]] inline void write_fixed(Packer& to, std::byte* at, std::size_t left,
                                               const T& value) {
  if constexpr (NodeReference<T>) {
    const auto place = value.node() == nullptr ? no_place : to.place_of(value.node(), left);
    std::memcpy(at, &place, sizeof place);
  } else if constexpr (RawBytes<T> || PlainClass<T> || std::is_same_v<T, bool>) {
    std::memcpy(at, &value, sizeof value);
  } else if constexpr (std::is_empty_v<T>) {
    *at = std::byte{0};
  } else {
    detail::each_field(value, [&](const auto& field) {
      constexpr auto size = fixed_size<std::remove_cvref_t<decltype(field)>>();
      write_fixed(to, at, left, field);
      at += size;
      left -= size;
    });
  }
}

template <class T>
[[gnu::always_inline]] inline void read_fixed(Unpacker& from, const std::byte* at, T& value) {
  if constexpr (std::is_same_v<T, bool>) {
    value = *at != std::byte{0};
  } else if constexpr (NodeReference<T>) {
    std::uint32_t place = 0;
    std::memcpy(&place, at, sizeof place);
    value = place == no_place
                ? T()
                : T::refer_to(from.node_at(place, expected_type<typename T::value_type>));
  } else if constexpr (RawBytes<T> || PlainClass<T>) {
    std::memcpy(&value, at, sizeof value);
  } else if constexpr (!std::is_empty_v<T>) {
    detail::each_field(value, [&](auto& field) {
      read_fixed(from, at, field);
      at += fixed_size<std::remove_cvref_t<decltype(field)>>();
    });
  }
}

// ---- values ------------------------------------------------------------------------------------

template <class T, class A>
void write_parts(Packer& to, const std::vector<T, A>& values);
template <class T, class A>
void read_parts(Unpacker& from, std::vector<T, A>& values);

template <class T>
void write(Packer& to, const T& value) {
  if constexpr (constexpr auto size = fixed_size<T>(); size != 0)
    write_fixed(to, to.claim(size), size, value);
  else if constexpr (PlainAggregate<T>)
    detail::each_field(value, [&to](const auto& field) { heap::write(to, field); });
  else if constexpr (is_raw_vector<T>::value)
    write_array(to, value);
  else if constexpr (is_vector_of_parts<T>::value)
    write_parts(to, value);
  else
    to.archive()(value);
}

template <class T>
void read(Unpacker& from, T& value) {
  if constexpr (constexpr auto size = fixed_size<T>(); size != 0)
    read_fixed(from, from.in().slice(size).data(), value);
  else if constexpr (PlainAggregate<T>)
    detail::each_field(value, [&from](auto& field) { heap::read(from, field); });
  else if constexpr (is_raw_vector<T>::value)
    read_array(from, value);
  else if constexpr (is_vector_of_parts<T>::value)
    read_parts(from, value);
  else
    from.archive()(value);
}

// As cereal writes them, who would have the compiler find its way for each type of element.
template <class T, class A>
void write_parts(Packer& to, const std::vector<T, A>& values) {
  to.enter();
  to.put(static_cast<std::uint64_t>(values.size()));
  for (const auto& value : values) heap::write(to, value);
  to.leave();
}

template <class T, class A>
void read_parts(Unpacker& from, std::vector<T, A>& values) {
  from.enter();
  values.resize(read_count(from));
  for (auto& value : values) heap::read(from, value);
  from.leave();
}

/// What is being handled, cereal's or of a type's own serialize or constructor, as an Error, and as
/// BadBytes; but what says more of itself. It is replaced at once: its text is in the memory of
/// values, see Explanation.
[[noreturn]] void throw_not_packed();
[[noreturn]] void throw_not_unpacked();

template <class T>
void pack(Packer& to, const T& value) {
  if constexpr (fixed_size<T>() != 0) return heap::write(to, value);
  try {
    heap::write(to, value);
  } catch (...) {
    throw_not_packed();
  }
}

template <class T>
void unpack(Unpacker& from, T& value) {
  if constexpr (fixed_size<T>() != 0) return heap::read(from, value);
  try {
    heap::read(from, value);
  } catch (...) {
    throw_not_unpacked();
  }
}

/// One made by default, to be unpacked into.
template <class T>
T* made_to_unpack(void* at) {
  if constexpr (std::is_nothrow_default_constructible_v<T>) return new (at) T();
  try {
    return new (at) T();
  } catch (...) {
    throw_not_unpacked();
  }
}

// ---- how cereal's containers and classes reach us ----------------------------------------------

template <Direct T>
void CEREAL_SAVE_FUNCTION_NAME(OutArchive& archive, const T& value) {
  heap::write(archive.to, value);
}
template <Direct T>
void CEREAL_LOAD_FUNCTION_NAME(InArchive& archive, T& value) {
  heap::read(archive.from, value);
}
template <RawBytes T, class A>
void CEREAL_SAVE_FUNCTION_NAME(OutArchive& archive, const std::vector<T, A>& values) {
  write_array(archive.to, values);
}
template <RawBytes T, class A>
void CEREAL_LOAD_FUNCTION_NAME(InArchive& archive, std::vector<T, A>& values) {
  read_array(archive.from, values);
}

/// `read()` gives the next element. cereal would put it before those that are equal.
template <class Container, class Read>
void read_in_order(InArchive& archive, Container& values, Read read) {
  cereal::size_type size = 0;
  archive(cereal::make_size_tag(size));
  values.clear();
  for (; size > 0; --size) values.insert(values.end(), read());
}
template <class K, class C, class A>
void CEREAL_LOAD_FUNCTION_NAME(InArchive& archive, std::multiset<K, C, A>& values) {
  read_in_order(archive, values, [&archive] {
    K value;
    archive(value);
    return value;
  });
}
template <class K, class V, class C, class A>
void CEREAL_LOAD_FUNCTION_NAME(InArchive& archive, std::multimap<K, V, C, A>& values) {
  read_in_order(archive, values, [&archive] {
    std::pair<K, V> pair;
    archive(cereal::make_map_item(pair.first, pair.second));
    return pair;
  });
}

template <class T>
void CEREAL_SAVE_FUNCTION_NAME(OutArchive& archive, const cereal::BinaryData<T>& data) {
  archive.to.raw(data.data, static_cast<std::size_t>(data.size));
}
template <class T>
void CEREAL_LOAD_FUNCTION_NAME(InArchive& archive, cereal::BinaryData<T>& data) {
  archive.from.in().raw(data.data, static_cast<std::size_t>(data.size));
}

template <class A>
concept Archive = std::is_same_v<A, OutArchive> || std::is_same_v<A, InArchive>;

template <Archive A, class T>
void CEREAL_SERIALIZE_FUNCTION_NAME(A& archive, cereal::NameValuePair<T>& pair) {
  if (std::string_view(pair.name) == "cereal_class_version") archive.remembers = true;
  archive(pair.value);
}

template <class T>
void CEREAL_SAVE_FUNCTION_NAME(OutArchive& archive, const cereal::SizeTag<T>& tag) {
  archive.to.put(static_cast<std::uint64_t>(tag.size));
}

template <class T>
void CEREAL_LOAD_FUNCTION_NAME(InArchive& archive, cereal::SizeTag<T>& tag) {
  tag.size = static_cast<std::remove_cvref_t<T>>(read_count(archive.from));
}

/// Classes of which cereal may write nothing: those with a `serialize`, std::monostate and the
/// like. Containers write how many elements they have.
template <class T>
concept MayTakeNothing = std::is_class_v<T> && !Direct<T> && !is_cereals_own<T> &&
                         (detail::UserSerialises<T> || !requires { typename T::allocator_type; });

/// What a `serialize` hands on: of a base class cereal would have to be told by its name.
template <class T>
consteval bool is_handed_on() {
  if constexpr (is_smart_pointer<T>::value)
    static_assert(!std::is_polymorphic_v<typename std::pointer_traits<T>::element_type>,
                  "trawl: a pointer to a class with virtual functions can't be packed; use a "
                  "std::variant of the classes that it stands for.");
  return true;
}

// What cereal calls before and after each value. One that has written nothing takes a byte; so what
// has written nothing has no such value inside.
template <class T>
void prologue(OutArchive& archive, const T&) {
  static_assert(is_handed_on<T>());
  if constexpr (std::is_class_v<T>) archive.to.enter();
  if constexpr (MayTakeNothing<T>) archive.begun = archive.to.size();
}
template <class T>
void epilogue(OutArchive& archive, const T&) {
  if constexpr (std::is_class_v<T>) archive.to.leave();
  if constexpr (MayTakeNothing<T>)
    if (archive.begun == archive.to.size()) archive.to.put(std::byte{0});
}
template <class T>
void prologue(InArchive& archive, const T&) {
  if constexpr (std::is_class_v<T>) archive.from.enter();
  if constexpr (MayTakeNothing<T>) archive.begun = archive.from.in().left();
}
template <class T>
void epilogue(InArchive& archive, const T&) {
  if constexpr (std::is_class_v<T>) archive.from.leave();
  if constexpr (MayTakeNothing<T>)
    if (archive.begun == archive.from.in().left()) archive.from.in().slice(1);
}

}  // namespace trawl::heap

CEREAL_SETUP_ARCHIVE_TRAITS(trawl::heap::InArchive, trawl::heap::OutArchive)
