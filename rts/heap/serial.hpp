// Values to bytes and back, by type: cereal for what it knows, field by field for aggregates, a
// copy for plain bytes, and an index into the packet for references to nodes.
#pragma once

#include <cstdint>
#include <limits>

#include "rts/bytes.hpp"
#include "rts/heap/code.hpp"
#include "rts/heap/node.hpp"
#include "rts/heap/traits.hpp"

namespace trawl::heap {

/// What packing a value needs to know of the packet around it.
class PacketOut {
 public:
  /// The place in this packet at which `node` (not null) is or will be.
  virtual std::uint32_t place_of(Node* node) = 0;

 protected:
  ~PacketOut() = default;
};

class PacketIn {
 public:
  /// The node at a place of this packet; throws BadBytes if there is none or its result has another
  /// type.
  virtual Node* node_at(std::uint32_t place, const void* result_type) = 0;

 protected:
  ~PacketIn() = default;
};

inline constexpr std::uint32_t no_place = std::numeric_limits<std::uint32_t>::max();

/// The address of this tells types apart.
template <class T>
inline constexpr char type_tag = 0;

class Packer : public cereal::OutputArchive<Packer> {
 public:
  Packer(Writer& out, PacketOut& packet) : OutputArchive(this), out_(out), packet_(packet) {}

  Writer& out() noexcept { return out_; }
  std::uint32_t place_of(Node* node) { return packet_.place_of(node); }

 private:
  Writer& out_;
  PacketOut& packet_;
};

class Unpacker : public cereal::InputArchive<Unpacker> {
 public:
  Unpacker(Reader& in, PacketIn& packet) : InputArchive(this), in_(in), packet_(packet) {}

  Reader& in() noexcept { return in_; }
  Node* node_at(std::uint32_t place, const void* type) { return packet_.node_at(place, type); }

  /// A value inside of a value begins, and ends. Bytes must not be able to overflow the stack.
  void enter() {
    if (++depth_ > max_depth) throw BadBytes("its values are nested too deeply");
  }
  void leave() noexcept { --depth_; }

 private:
  static constexpr std::size_t max_depth = 4000;
  std::size_t depth_ = 0;
  Reader& in_;
  PacketIn& packet_;
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
  to.out().put(value);
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
  to.out().raw(data.data, static_cast<std::size_t>(data.size));
}

template <class T>
void CEREAL_LOAD_FUNCTION_NAME(Unpacker& from, cereal::BinaryData<T>& data) {
  from.in().raw(data.data, static_cast<std::size_t>(data.size));
}

template <class T>
void CEREAL_SERIALIZE_FUNCTION_NAME(Packer& to, cereal::NameValuePair<T>& pair) {
  to(pair.value);
}

template <class T>
void CEREAL_SERIALIZE_FUNCTION_NAME(Unpacker& from, cereal::NameValuePair<T>& pair) {
  from(pair.value);
}

template <class T>
void CEREAL_SAVE_FUNCTION_NAME(Packer& to, const cereal::SizeTag<T>& tag) {
  to.out().put(static_cast<std::uint64_t>(tag.size));
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
  to.out().put(reference.node() == nullptr ? no_place : to.place_of(reference.node()));
}

template <NodeReference T>
void CEREAL_LOAD_FUNCTION_NAME(Unpacker& from, T& reference) {
  const auto place = from.in().get<std::uint32_t>();
  reference =
      place == no_place ? T() : T::refer_to(from.node_at(place, &type_tag<typename T::value_type>));
}

template <PlainClass T>
void CEREAL_SAVE_FUNCTION_NAME(Packer& to, const T& value) {
  to.out().put(value);
}

template <PlainClass T>
void CEREAL_LOAD_FUNCTION_NAME(Unpacker& from, T& value) {
  from.in().raw(&value, sizeof value);
}

template <PlainAggregate T>
void CEREAL_SAVE_FUNCTION_NAME(Packer& to, const T& value) {
  if constexpr (std::is_empty_v<T>)
    to.out().put(std::byte{0});
  else if constexpr (RawBytes<T>)
    to.out().put(value);
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

// Arrays of plain bytes travel in one piece, not element by element.
template <RawBytes T, class A>
requires(!std::is_arithmetic_v<T>) void CEREAL_SAVE_FUNCTION_NAME(Packer& to,
                                                                  const std::vector<T, A>& values) {
  to.out().put(static_cast<std::uint64_t>(values.size()));
  to.out().raw(values.data(), values.size() * sizeof(T));
}

template <RawBytes T, class A>
requires(!std::is_arithmetic_v<T>) void CEREAL_LOAD_FUNCTION_NAME(Unpacker& from,
                                                                  std::vector<T, A>& values) {
  const auto size = from.in().get<std::uint64_t>();
  if (size > from.in().left() / sizeof(T))
    throw BadBytes("a container in it claims to be longer than it is");
  values.resize(static_cast<std::size_t>(size));
  from.in().raw(values.data(), values.size() * sizeof(T));
}

template <class T>
void pack(Packer& to, const T& value) {
  to(value);
}

template <class T>
void unpack(Unpacker& from, T& value) {
  try {
    from(value);
  } catch (const BadBytes&) {
    throw;
  } catch (const std::exception& e) {  // cereal's, or of a type's own serialize
    throw BadBytes(e.what());
  }
}

}  // namespace trawl::heap

CEREAL_SETUP_ARCHIVE_TRAITS(trawl::heap::Unpacker, trawl::heap::Packer)
