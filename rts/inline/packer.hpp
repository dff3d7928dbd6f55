// What a value is packed with, and unpacked: its bytes, the packet around it, and cereal's archive
// for types that only cereal knows (serial.hpp).
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <utility>

#include <cereal/cereal.hpp>

#include "address.hpp"
#include "bytes.hpp"
#include "error.hpp"
#include "memory.hpp"
#include "node.hpp"

namespace trawl::heap {

/// What becomes of long arrays in the root of a packet, or in the arguments of a thunk.
enum class Arrays : std::uint8_t {
  copied,
  laid,  ///< into the message: their bytes are copied when it is sent
  lent,  ///< the receiver can read them where they are
  left,  ///< nobody wants their bytes, long or short: only what else there is
};

/// Who reads or writes more than this lets others have the PE's lock, or look around, meanwhile.
inline constexpr std::size_t long_piece = std::size_t{256} << 10U;

/// In place of a long array: where it lies in the memory of the PE that lends it, and what keeps it
/// there until it has been read. One weight does for all arrays of a node: the first has it.
struct Loan {
  Reference keeps;
  std::uint64_t at = 0;
};

/// What packing a value needs to know of the packet around it.
class PacketOut {
 public:
  /// The place in this packet at which `node` (not null) is or will be; to be put at once, or so
  /// many bytes before the end of what has been put.
  virtual std::uint32_t place_of(Node* node, std::size_t before_end) = 0;

  /// Leaves an array where it is, in the node that is being packed, for the receiver to read there.
  virtual Loan lend(std::span<const std::byte> array) = 0;
  /// The same for the message: its bytes are read when it is sent.
  virtual void lay(std::span<const std::byte> array) = 0;
  /// Is it the array of a vector that lies in the node that is being packed?
  virtual bool is_members(std::span<const std::byte>) const { return false; }

 protected:
  ~PacketOut() = default;
};

class PacketIn {
 public:
  /// The node at a place of this packet; throws BadBytes if there is none or its result has another
  /// type (nullptr: any will do).
  virtual Node* node_at(std::uint32_t place, const void* result_type) = 0;

  /// An array of that many bytes has been lent to us.
  virtual void borrow(const Loan& loan, std::uint64_t size) = 0;
  /// A long piece of a value has been read: others may have to be looked after.
  virtual void look_around() {}
  /// A part of it. Both throw BadBytes when it isn't there, Error when its PE is lost.
  virtual void read(const Loan& loan, std::uint64_t offset, std::span<std::byte> into) = 0;

 protected:
  ~PacketIn() = default;
};

/// Thrown when a value turns out to be larger than the room that it was given, and there is more to
/// it than arrays (Packer::overflowed).
struct PacketFull {};

class Packer;
class Unpacker;

/// cereal's way into a Packer. It remembers the versions of the classes that have come by, and
/// writes each once; nodes must be read one by one, so each gets an archive that remembers nothing.
class OutArchive : public cereal::OutputArchive<OutArchive> {
 public:
  explicit OutArchive(Packer& packer) : OutputArchive(this), to(packer) {}

  Packer& to;
  bool remembers = false;
  std::size_t begun = 0;  // where the innermost value was that has written nothing so far
};

class InArchive : public cereal::InputArchive<InArchive> {
 public:
  explicit InArchive(Unpacker& unpacker) : InputArchive(this), from(unpacker) {}

  Unpacker& from;
  bool remembers = false;
  std::size_t begun = 0;  // the same, by what was left
};

/// Values inside of values: the stack has to bear them, whoever has sent the bytes.
inline constexpr std::size_t max_depth = 4000;

class Packer {
 public:
  Packer(Writer& out, PacketOut& packet) : out_(out), packet_(packet) {}
  Packer(const Packer&) = delete;
  Packer& operator=(const Packer&) = delete;

  /// From here on, writing past this size of the writer throws PacketFull, or is `overflowed`.
  void limit(std::size_t size) noexcept {
    limit_ = size;
    arrays_ = Arrays::copied;
    overflowed_ = false;
  }
  /// An array had no room, and was left out: what was packed is to be taken back, as if PacketFull
  /// had been thrown, which takes longer than most values.
  bool overflowed() const noexcept { return overflowed_; }
  /// From here on, no limit.
  void no_limit(Arrays arrays) noexcept {
    limit_ = std::numeric_limits<std::size_t>::max();
    overflowed_ = false;
    arrays_ = arrays;
    begin_ = out_.size();
  }

  template <class T>
  void put(const T& value) {
    need(sizeof value);
    out_.put(value);
  }
  void raw(const void* data, std::size_t size) {
    need(size);
    out_.raw(data, size);
  }
  std::size_t size() const noexcept { return out_.size(); }
  /// Room for so many bytes, which are put now.
  std::byte* claim(std::size_t size) {
    need(size);
    return out_.claim(size);
  }
  std::uint32_t place_of(Node* node, std::size_t before_end = 0) {
    return packet_.place_of(node, before_end);
  }

  /// An array that the receiver can read where it is, if it is long and nothing can move it.
  std::optional<Loan> lend(std::span<const std::byte> array) {
    if (arrays_ != Arrays::lent || !stays(array, shortest_lent())) return std::nullopt;
    return packet_.lend(array);
  }
  void array(std::span<const std::byte> array) {
    if (arrays_ == Arrays::laid && stays(array, is_long)) return packet_.lay(array);
    if (arrays_ == Arrays::left) return;
    if (!has_room_for(array.size())) [[unlikely]]
      return leave_out();
    out_.raw(array.data(), array.size());
  }

  /// Made when it is first needed: for most values it never is, and it costs more than they do.
  OutArchive& archive() { return archive_ ? *archive_ : archive_.emplace(*this); }

  /// A node is packed, and the next follows.
  void end_node() noexcept {
    if (archive_ && archive_->remembers) archive_.reset();
  }
  /// What was packed of it is taken back.
  void drop_node() noexcept {
    if (overflowed_) limit(limit_before_);
    depth_ = 0;
    archive_.reset();
  }

  /// A value inside of a value begins, and ends. What can't be read is not written.
  void enter() {
    if (++depth_ > max_depth)
      throw Error("its parts are nested too deeply: let them be Lazy, or put them into one array");
  }
  void leave() noexcept { --depth_; }

 private:
  static constexpr std::size_t is_long = std::size_t{64} << 10U;

  // Of a value that takes long to be sent, also what is shorter: the rows of a matrix.
  std::size_t shortest_lent() const noexcept {
    constexpr std::size_t page = 4096;
    return out_.size() - begin_ < is_long ? is_long : page;
  }

  bool stays(std::span<const std::byte> array, std::size_t shortest) const {
    return array.size() >= shortest && (is_owned(array.data()) || packet_.is_members(array));
  }

  bool has_room_for(std::size_t size) const noexcept {
    return out_.size() <= limit_ && size <= limit_ - out_.size();
  }
  void need(std::size_t size) const {
    if (!has_room_for(size)) [[unlikely]]
      throw PacketFull();
  }
  // Mostly little follows.
  void leave_out() noexcept {
    constexpr std::size_t little = 256;
    if (!std::exchange(overflowed_, true))
      limit_before_ = std::exchange(limit_, out_.size() + little);
  }

  Writer& out_;
  PacketOut& packet_;
  std::size_t limit_ = std::numeric_limits<std::size_t>::max();
  Arrays arrays_ = Arrays::copied;
  std::size_t begin_ = 0;  // of what has no limit
  bool overflowed_ = false;
  std::size_t limit_before_ = 0;  // it did
  std::size_t depth_ = 0;
  std::optional<OutArchive> archive_;
};

class Unpacker {
 public:
  Unpacker(Reader& in, PacketIn& packet) : in_(in), packet_(packet) {}
  Unpacker(const Unpacker&) = delete;
  Unpacker& operator=(const Unpacker&) = delete;

  Reader& in() noexcept { return in_; }
  Node* node_at(std::uint32_t place, const void* type) { return packet_.node_at(place, type); }
  PacketIn& packet() noexcept { return packet_; }

  /// A value inside of a value begins, and ends. Bytes must not be able to overflow the stack.
  void enter() {
    if (++depth_ > max_depth) throw BadBytes("its values are nested too deeply");
    if (in_.left() < look_below_) look();
  }
  void leave() noexcept { --depth_; }

  /// From here on, looks around after each long piece.
  void begin_long_node() noexcept { look_below_ = below_next_piece(); }

  InArchive& archive() { return archive_ ? *archive_ : archive_.emplace(*this); }
  void end_node() noexcept {
    look_below_ = 0;
    if (archive_ && archive_->remembers) archive_.reset();
  }

 private:
  std::size_t below_next_piece() const noexcept {
    return in_.left() - std::min(in_.left(), long_piece);
  }
  [[gnu::noinline]] void look() {
    begin_long_node();
    packet_.look_around();
  }

  std::size_t depth_ = 0;
  std::size_t look_below_ = 0;  // when so little is left
  Reader& in_;
  PacketIn& packet_;
  std::optional<InArchive> archive_;
};

}  // namespace trawl::heap
