// Values and distributed data, saved in a file from which a later run goes on.
#pragma once

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <system_error>
#include <tuple>
#include <utility>
#include <vector>

#include <trawl/dist/file.hpp>
#include <trawl/inline/no_nodes.hpp>
#include <trawl/saved_type.hpp>

namespace trawl {
namespace detail {

// A file: `begins`; of each value its type, in how many blobs it is, and those; `ends`. A blob is
// its size, a checksum, and its bytes. Numbers are as on the machine.
inline constexpr std::uint64_t checkpoint_begins = 0x325043'4c57415254;  // "TRAWLCP2"
inline constexpr std::uint64_t checkpoint_ends = 0x444e45'50434c5754;

[[noreturn]] inline void throw_of_checkpoint(const std::string& file, const std::string& what) {
  throw Error(file + " is no checkpoint that this program can go on from: " + what);
}

template <class T>
consteval bool can_be_saved() {
  constexpr bool lasts = !holds_of_this_run<T>();
  static_assert(lasts,
                "trawl: a Bound, a Shared or an Everywhere means nothing in another run; save its "
                "value, and make a new one of that.");
  if constexpr (is_spread<T> || !lasts)
    return lasts;
  else
    return value_travels<T, anywhere>();
}

template <class T>
Bytes blob_of(const T& value) {
  Writer bytes;
  heap::NoNodes none(
      "a checkpoint can't hold a Lazy, which means nothing in another run; save what it is when it "
      "has been forced");
  heap::Packer packer(bytes, none);
  heap::pack(packer, value);
  return bytes.take();
}

/// `file` is where the blob is from.
template <class T>
void value_of_blob(const std::string& file, const std::string& blob, T& value) {
  try {
    Reader bytes(std::as_bytes(std::span(blob)));
    heap::NoNodes none("");
    heap::Unpacker unpacker(bytes, none);
    heap::unpack(unpacker, value);
    if (bytes.left() != 0) throw BadBytes("a value in it is longer than its type");
  } catch (const BadBytes& e) {
    throw_of_checkpoint(file, e.what());
  }
}

/// Where symbolic links lead. What is no file of bytes stays what it is.
std::string file_to_replace(const std::string& file);
/// By another one, whose bytes are on the disk before it has this name.
void replace_file(const std::string& file, const std::string& by);
/// Nothing, where there is none; throws Error of what is no file of bytes.
std::optional<std::uint64_t> size_of_file(const std::string& file);

/// While it lives no other run writes to this file, which it makes if there is none. Throws Error
/// if another one does.
class SoleWriter {
 public:
  explicit SoleWriter(const std::string& file);
  SoleWriter(const SoleWriter&) = delete;
  SoleWriter& operator=(const SoleWriter&) = delete;
  ~SoleWriter();

 private:
  int file_ = -1;
};

/// Under another name, until all of it has been written.
class CheckpointOut {
 public:
  explicit CheckpointOut(const std::string& file)
      : file_(file_to_replace(file)), unfinished_(file_ + ".unfinished"), alone_(unfinished_) {
    errno = 0;
    out_.open(unfinished_, std::ios::binary | std::ios::trunc);
    check();
    number(checkpoint_begins);
  }
  CheckpointOut(const CheckpointOut&) = delete;
  CheckpointOut& operator=(const CheckpointOut&) = delete;
  ~CheckpointOut() {
    std::error_code unknown;
    if (!finished_) std::filesystem::remove(unfinished_, unknown);
  }

  template <class T>
  void value(const T& value) {
    head<T>(1);
    blob(blob_of(value));
  }
  /// A shard at a time is here.
  template <class T>
  void value(const Dist<T>& d) {
    const auto counts = d.parts().counts();
    head<Dist<T>>(counts.size());
    auto next = d.begin();
    for (const auto count : counts) {
      std::vector<T> elements;
      elements.reserve(static_cast<std::size_t>(count));
      for (std::uint64_t i = 0; i < count; ++i, ++next) elements.push_back(*next);
      blob(blob_of(elements));
    }
  }
  void finish() {
    number(checkpoint_ends);
    out_.close();
    check();
    replace_file(file_, unfinished_);
    finished_ = true;
  }

 private:
  template <class T>
  void head(std::size_t blobs) {
    number(type_number<T>());
    number(blobs);
  }
  void blob(const Bytes& bytes) {
    number(bytes.size());
    number(checksum(bytes));
    out_.write(reinterpret_cast<const char*>(bytes.data()),
               static_cast<std::streamsize>(bytes.size()));
    check();
  }
  void number(std::uint64_t number) {
    out_.write(reinterpret_cast<const char*>(&number), sizeof number);
  }
  void check() {
    if (!out_) throw_of_file(unfinished_, "written");
  }

  std::string file_;
  std::string unfinished_;
  SoleWriter alone_;
  std::ofstream out_;
  bool finished_ = false;
};

/// Where some bytes of a checkpoint are.
struct Blob {
  std::uint64_t begin = 0;
  std::uint64_t size = 0;
  std::uint64_t sum = 0;
};

inline std::string read_blob(const std::string& file, const Blob& blob) {
  std::ifstream in(file, std::ios::binary);
  std::string bytes(static_cast<std::size_t>(blob.size), '\0');
  in.seekg(static_cast<std::streamoff>(blob.begin));
  in.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  if (!in) throw_of_checkpoint(file, "it has changed while it was read");
  if (checksum(std::as_bytes(std::span(bytes))) != blob.sum)
    throw_of_checkpoint(file, "what is at byte " + std::to_string(blob.begin) +
                                  " is damaged, or another run has saved meanwhile");
  return bytes;
}

/// The bytes are read by the PE that has the file, when this one asks for them.
template <class T>
Shard<T> restored_shard(const std::string& file, const Lazy<std::string>& bytes) {
  std::vector<T> elements;
  value_of_blob(file, force(bytes), elements);
  Made<T> made(elements.size());
  for (auto& x : elements) made.add(std::move(x));
  return std::move(made).shard();
}

class CheckpointIn {
 public:
  explicit CheckpointIn(const std::string& file) : file_(file) {
    errno = 0;
    const auto size = size_of_file(file);
    if (size) in_.open(file, std::ios::binary);
    if (!in_.is_open()) throw_of_file(file, "read");
    size_ = *size;
    if (number() != checkpoint_begins) throw_of_checkpoint(file_, "it is something else");
  }

  /// The blobs of the next value.
  template <class T>
  std::vector<Blob> blobs() {
    if (number() != type_number<T>())
      throw_of_checkpoint(file_, "it was made of values of other types");
    const auto count = number();
    if (count > size_) throw_cut_off();
    std::vector<Blob> all;
    for (std::uint64_t i = 0; i < count; ++i) {
      Blob blob{0, number(), number()};
      blob.begin = static_cast<std::uint64_t>(in_.tellg());
      if (blob.size > size_ - blob.begin) throw_cut_off();
      in_.seekg(static_cast<std::streamoff>(blob.begin + blob.size));
      all.push_back(blob);
    }
    return all;
  }
  void finish() {
    if (number() != checkpoint_ends || in_.peek() != std::ifstream::traits_type::eof())
      throw_of_checkpoint(file_, "it does not end where it should");
  }

 private:
  std::uint64_t number() {
    std::uint64_t number = 0;
    in_.read(reinterpret_cast<char*>(&number), sizeof number);
    if (!in_) throw_cut_off();
    return number;
  }
  [[noreturn]] void throw_cut_off() const { throw_of_checkpoint(file_, "it is cut off"); }

  std::string file_;
  std::uint64_t size_ = 0;
  std::ifstream in_;
};

template <class T>
void restore(const std::string& file, const std::vector<Blob>& blobs, T& value) {
  if (blobs.size() != 1) throw_of_checkpoint(file, "a value in it has several parts");
  value_of_blob(file, read_blob(file, blobs.front()), value);
}
template <class T>
void restore(const std::string& file, const std::vector<Blob>& blobs, Dist<T>& d) {
  Parts<T> parts;
  std::vector<double> bytes;
  for (const auto& blob : blobs) {
    bytes.push_back(static_cast<double>(blob.size));
    const auto there = lazy_placed<&read_blob>(file, blob);
    parts.shards.push_back(lazy_placed<&restored_shard<T>>(file, there));
  }
  parts.places = places_for(bytes);
  // There are copies at once: the file may be another one when a PE dies.
  parts.uncopied = std::numeric_limits<int>::max() - 1;
  parts = made_parts(std::move(parts));
  parts.each_shape([](const Shape&) {});
  parts.copying = Lazy<Copying>::refer_to(finish(parts.copying.node(), true));
  d = Dist<T>(std::move(parts));
}

}  // namespace detail

/// Saves values in a file, in place of what it held before, once all of it is written: if the run
/// ends early, the file is as it was. A value is anything that travels and holds no Lazy, or a
/// Dist, whose shards come here one after the other. Throws Error.
template <class... T>
void checkpoint(const std::string& file, const T&... values) {
  if constexpr ((detail::can_be_saved<T>() && ...)) {
    detail::CheckpointOut out(file);
    (out.value(values), ...);
    out.finish();
  }
}

/// The values that `checkpoint` saved, of the same types in the same order; the data of a Dist lie
/// where those of a new one would, on however many PEs there are, when it returns. False if there
/// is no such file. Throws Error if it is damaged, or not of these types. Then the values are as
/// they were.
template <class... T>
bool restart(const std::string& file, T&... values) {
  constexpr bool can_change = !(std::is_const_v<T> || ...);
  static_assert(can_change, "trawl: restart changes its values: give it some that are not const.");
  if constexpr (can_change) {
    std::error_code error;
    const bool exists = std::filesystem::exists(file, error);
    if (error) throw Error(file + ": can't be read: " + error.message());
    if (!exists) return false;
    detail::CheckpointIn in(file);
    const std::vector<detail::Blob> blobs[] = {in.template blobs<T>()...};
    in.finish();
    std::tuple<T...> saved;
    std::size_t i = 0;
    std::apply([&](T&... each) { (detail::restore(file, blobs[i++], each), ...); }, saved);
    std::tie(values...) = std::move(saved);
  }
  return can_change;
}

}  // namespace trawl
