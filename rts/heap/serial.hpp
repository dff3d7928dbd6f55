// Values to bytes and back, by type: cereal for what it knows, field by field for aggregates, a
// copy for plain bytes, and an index into the packet for references to nodes.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "rts/bytes.hpp"
#include "rts/error.hpp"
#include "rts/heap/code.hpp"
#include "rts/heap/collect.hpp"
#include "rts/heap/node.hpp"
#include "rts/heap/packet.hpp"
#include "rts/heap/traits.hpp"

namespace trawl::heap {

/// What packing a value needs to know of the packet around it.
class PacketOut {
 public:
  /// The place in this packet at which `node` (not null) is or will be.
  virtual std::uint32_t place_of(Node* node) = 0;

  /// Leaves an array where it is, in the node that is being packed, for the receiver to read there.
  virtual Loan lend(const void* array) = 0;

 protected:
  ~PacketOut() = default;
};

class PacketIn {
 public:
  /// The node at a place of this packet; throws BadBytes if there is none or its result has another
  /// type.
  virtual Node* node_at(std::uint32_t place, const void* result_type) = 0;

  /// An array of that many bytes has been lent to us.
  virtual void borrow(const Loan& loan, std::uint64_t size) = 0;
  /// A part of it. Both throw BadBytes when it isn't there, Error when its PE is lost.
  virtual void read(const Loan& loan, std::uint64_t offset, std::span<std::byte> into) = 0;

 protected:
  ~PacketIn() = default;
};

inline constexpr std::uint32_t no_place = std::numeric_limits<std::uint32_t>::max();

/// The address of this tells types apart.
template <class T>
inline constexpr char type_tag = 0;

/// Thrown when a value turns out to be larger than the room that it was given.
struct PacketFull {};

/// cereal remembers the versions of the classes that have come by, and writes each once; nodes must
/// be read one by one. So whoever packs or unpacks several takes a new archive after one that
/// `remembers()`.
class Packer : public cereal::OutputArchive<Packer> {
 public:
  Packer(Writer& out, PacketOut& packet) : OutputArchive(this), out_(out), packet_(packet) {}

  /// From here on, writing past this size of the writer throws PacketFull.
  void limit(std::size_t size) noexcept {
    limit_ = size;
    lends_ = false;
  }
  /// From here on, no limit. `lends`: long arrays stay behind, see Loan.
  void no_limit(bool lends) noexcept {
    limit_ = std::numeric_limits<std::size_t>::max();
    lends_ = lends;
  }

  template <class T>
  void put(const T& value) {
    raw(&value, sizeof value);
  }
  void raw(const void* data, std::size_t size) {
    if (out_.size() > limit_ || size > limit_ - out_.size()) [[unlikely]]
      throw PacketFull();
    out_.raw(data, size);
  }
  std::uint32_t place_of(Node* node) { return packet_.place_of(node); }

  /// An array that the receiver can read where it is, if it is long and nothing can move it.
  std::optional<Loan> lend(const void* array, std::size_t size) {
    constexpr std::size_t shortest = 64 * 1024;
    if (!lends_ || size < shortest || !is_owned(array)) return std::nullopt;
    return packet_.lend(array);
  }

  void note_version() noexcept { remembers_ = true; }
  bool remembers() const noexcept { return remembers_; }

 private:
  Writer& out_;
  PacketOut& packet_;
  std::size_t limit_ = std::numeric_limits<std::size_t>::max();
  bool lends_ = false;
  bool remembers_ = false;
};

class Unpacker : public cereal::InputArchive<Unpacker> {
 public:
  Unpacker(Reader& in, PacketIn& packet) : InputArchive(this), in_(in), packet_(packet) {}

  Reader& in() noexcept { return in_; }
  Node* node_at(std::uint32_t place, const void* type) { return packet_.node_at(place, type); }
  PacketIn& packet() noexcept { return packet_; }

  /// A value inside of a value begins, and ends. Bytes must not be able to overflow the stack.
  void enter() {
    if (++depth_ > max_depth) throw BadBytes("its values are nested too deeply");
  }
  void leave() noexcept { --depth_; }

  void note_version() noexcept { remembers_ = true; }
  bool remembers() const noexcept { return remembers_; }

 private:
  static constexpr std::size_t max_depth = 4000;
  std::size_t depth_ = 0;
  Reader& in_;
  PacketIn& packet_;
  bool remembers_ = false;
};

// What cereal calls before and after each value.
template <class T>
void prologue(Unpacker& from, const T&) {
  if constexpr (std::is_class_v<T>) from.enter();
}
template <class T>
void epilogue(Unpacker& from, const T&) {
  if constexpr (std::is_class_v<T>) from.leave();
}

// ---- how cereal's containers reach us ----------------------------------------------------------

template <class T>
requires std::is_arithmetic_v<T>
void CEREAL_SAVE_FUNCTION_NAME(Packer& to, const T& value) {
  to.put(value);
}

template <class T>
requires(std::is_arithmetic_v<T> &&
         !std::is_same_v<T, bool>) void CEREAL_LOAD_FUNCTION_NAME(Unpacker& from, T& value) {
  value = from.in().get<T>();
}

inline void CEREAL_LOAD_FUNCTION_NAME(Unpacker& from, bool& value) {
  value = from.in().get<std::uint8_t>() != 0;
}

template <class T>
void CEREAL_SAVE_FUNCTION_NAME(Packer& to, const cereal::BinaryData<T>& data) {
  to.raw(data.data, static_cast<std::size_t>(data.size));
}

template <class T>
void CEREAL_LOAD_FUNCTION_NAME(Unpacker& from, cereal::BinaryData<T>& data) {
  from.in().raw(data.data, static_cast<std::size_t>(data.size));
}

inline bool is_version(std::string_view name) {
  return name == "cereal_class_version";
}

template <class T>
void CEREAL_SERIALIZE_FUNCTION_NAME(Packer& to, cereal::NameValuePair<T>& pair) {
  if (is_version(pair.name)) to.note_version();
  to(pair.value);
}

template <class T>
void CEREAL_SERIALIZE_FUNCTION_NAME(Unpacker& from, cereal::NameValuePair<T>& pair) {
  if (is_version(pair.name)) from.note_version();
  from(pair.value);
}

template <class T>
void CEREAL_SAVE_FUNCTION_NAME(Packer& to, const cereal::SizeTag<T>& tag) {
  to.put(static_cast<std::uint64_t>(tag.size));
}

// Every element takes at least a byte, so a longer container than what is left is a lie; believing
// it would allocate whatever the liar says.
template <class T>
void CEREAL_LOAD_FUNCTION_NAME(Unpacker& from, cereal::SizeTag<T>& tag) {
  const auto size = from.in().get<std::uint64_t>();
  if (size > from.in().left()) throw BadBytes("a container in it claims to be longer than it is");
  tag.size = static_cast<std::remove_cvref_t<T>>(size);
}

// ---- our own kinds -----------------------------------------------------------------------------

template <NodeReference T>
void CEREAL_SAVE_FUNCTION_NAME(Packer& to, const T& reference) {
  to.put(reference.node() == nullptr ? no_place : to.place_of(reference.node()));
}

template <NodeReference T>
void CEREAL_LOAD_FUNCTION_NAME(Unpacker& from, T& reference) {
  const auto place = from.in().get<std::uint32_t>();
  reference =
      place == no_place ? T() : T::refer_to(from.node_at(place, &type_tag<typename T::value_type>));
}

template <PlainClass T>
void CEREAL_SAVE_FUNCTION_NAME(Packer& to, const T& value) {
  to.put(value);
}

template <PlainClass T>
void CEREAL_LOAD_FUNCTION_NAME(Unpacker& from, T& value) {
  from.in().raw(&value, sizeof value);
}

template <PlainAggregate T>
void CEREAL_SAVE_FUNCTION_NAME(Packer& to, const T& value) {
  if constexpr (std::is_empty_v<T>)
    to.put(std::byte{0});
  else if constexpr (RawBytes<T>)
    to.put(value);
  else
    boost::pfr::for_each_field(value, [&to](const auto& field) { to(field); });
}

template <PlainAggregate T>
void CEREAL_LOAD_FUNCTION_NAME(Unpacker& from, T& value) {
  if constexpr (std::is_empty_v<T>)
    from.in().slice(1);
  else if constexpr (RawBytes<T>)
    from.in().raw(&value, sizeof value);
  else
    boost::pfr::for_each_field(value, [&from](auto& field) { from(field); });
}

inline constexpr std::uint64_t lent = std::uint64_t{1} << 63U;  // in place of elements: a Loan

// Arrays of plain bytes travel in one piece, not element by element, or stay where they are.
template <RawBytes T, class A>
void CEREAL_SAVE_FUNCTION_NAME(Packer& to, const std::vector<T, A>& values) {
  const auto size = static_cast<std::uint64_t>(values.size());
  if (const auto loan = to.lend(values.data(), values.size() * sizeof(T))) {
    to.put(size | lent);
    to.put(*loan);
    return;
  }
  to.put(size);
  to.raw(values.data(), values.size() * sizeof(T));
}

// Piece by piece: what resize clears is still in the cache when it is read into.
template <class T, class A>
void read_lent(Unpacker& from, std::uint64_t size, std::vector<T, A>& values) {
  constexpr std::size_t piece = (256 * 1024 + sizeof(T) - 1) / sizeof(T);
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

template <RawBytes T, class A>
void CEREAL_LOAD_FUNCTION_NAME(Unpacker& from, std::vector<T, A>& values) {
  const StorageScope scope(Storage::owned_plain);
  const auto size = from.in().get<std::uint64_t>();
  if ((size & lent) != 0) return read_lent(from, size & ~lent, values);
  if (size > from.in().left() / sizeof(T))
    throw BadBytes("a container in it claims to be longer than it is");
  const auto bytes = from.in().slice(static_cast<std::size_t>(size) * sizeof(T));
  if constexpr (sizeof(T) >= 4) {
    // Written once: it is not cleared first.
    values.assign(Scattered<T>(bytes.data()), Scattered<T>(bytes.data() + bytes.size()));
  } else {
    values.resize(static_cast<std::size_t>(size));
    if (!bytes.empty()) std::memcpy(values.data(), bytes.data(), bytes.size());
  }
}

template <class T>
void pack(Packer& to, const T& value) {
  try {
    to(value);
  } catch (const std::exception& e) {  // cereal's, or of a type's own serialize
    throw Error(std::string("a value could not be packed: ") + e.what());
  }
}

// What others throw is replaced at once: its text is in the memory of values, see Explanation.
template <class T>
void unpack(Unpacker& from, T& value) {
  try {
    from(value);
  } catch (const Explanation&) {  // BadBytes, or a PE is lost
    throw;
  } catch (const std::exception& e) {  // cereal's, or of a type's own serialize
    throw BadBytes(e.what());
  }
}

}  // namespace trawl::heap

CEREAL_SETUP_ARCHIVE_TRAITS(trawl::heap::Unpacker, trawl::heap::Packer)
