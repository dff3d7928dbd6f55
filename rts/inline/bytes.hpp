// Writing and reading bytes that cross a wall of the process: messages, packets, logs.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <new>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "error.hpp"

namespace trawl {

using Nanos = std::int64_t;  ///< a time or a duration, in nanoseconds
inline constexpr Nanos never = std::numeric_limits<Nanos>::max();

/// Memory that the collector neither sees nor scans, and that is not cleared first: for what is
/// only copied into and out of.
template <class T>
struct PlainAllocator {
  using value_type = T;

  PlainAllocator() = default;
  template <class U>
  PlainAllocator(const PlainAllocator<U>&) noexcept {}  // NOLINT(google-explicit-constructor)

  T* allocate(std::size_t count) {
    if (count > std::numeric_limits<std::ptrdiff_t>::max() / sizeof(T)) throw std::bad_alloc();
    void* memory = alignof(T) > alignof(std::max_align_t)
                       ? std::aligned_alloc(alignof(T), count * sizeof(T))
                       : std::malloc(count * sizeof(T));
    if (memory == nullptr) throw std::bad_alloc();
    return static_cast<T*>(memory);
  }
  void deallocate(T* memory, std::size_t) noexcept { std::free(memory); }

  template <class U>
  void construct(U* at) noexcept(std::is_nothrow_default_constructible_v<U>) {
    ::new (static_cast<void*>(at)) U;
  }
  template <class U, class... A>
  void construct(U* at, A&&... a) {
    ::new (static_cast<void*>(at)) U(std::forward<A>(a)...);
  }

  friend bool operator==(const PlainAllocator&, const PlainAllocator&) { return true; }
};

using Bytes = std::vector<std::byte, PlainAllocator<std::byte>>;

// Not by the vector's constructor: with an allocator of ours it copies byte by byte.
inline Bytes copy_of(std::span<const std::byte> bytes) {
  Bytes copy(bytes.size());
  if (!bytes.empty()) std::memcpy(copy.data(), bytes.data(), bytes.size());
  return copy;
}

/// Appends plain values, in the byte order of the machine: all PEs run the same binary.
class Writer {
 public:
  /// `expected`: room for so many bytes is made at once.
  explicit Writer(std::size_t expected = 0) : bytes_(expected) {}

  template <class T>
  requires std::is_trivially_copyable_v<T>
  void put(const T& value) { raw(&value, sizeof value); }

  void put_string(std::string_view text) {
    put(static_cast<std::uint32_t>(text.size()));
    raw(text.data(), text.size());
  }

  // Else its size, mostly a constant, would be forgotten.
  [[gnu::always_inline]] void raw(const void* data, std::size_t size) {
    if (bytes_.size() - size_ < size) [[unlikely]]
      make_room(size);
    if (size != 0) std::memcpy(bytes_.data() + size_, data, size);
    size_ += size;
  }

  /// Appends that many bytes, to be written at once to where they are.
  std::byte* claim(std::size_t size) {
    if (bytes_.size() - size_ < size) [[unlikely]]
      make_room(size);
    return bytes_.data() + std::exchange(size_, size_ + size);
  }

  /// Overwrites what was put at `at`, for counts known only afterwards.
  template <class T>
  requires std::is_trivially_copyable_v<T>
  void patch(std::size_t at, const T& value) {
    std::memcpy(bytes_.data() + at, &value, sizeof value);
  }

  /// Appends bytes that stay where they are, and are read there when the message is sent. Until
  /// then `owner` is kept alive, and so must be they.
  void lay(std::span<const std::byte> bytes, const void* owner) {
    laid_.push_back({size_, bytes, owner});
    laid_size_ += bytes.size();
  }

  /// Takes back what was put after `size`.
  void shrink(std::size_t size) noexcept {
    while (!laid_.empty() && laid_size_ + laid_.back().at > size) {
      laid_size_ -= laid_.back().bytes.size();
      laid_.pop_back();
    }
    size_ = size - laid_size_;
  }

  std::size_t size() const noexcept { return size_ + laid_size_; }
  /// What can be put, from the beginning, before more memory is needed.
  std::size_t room() const noexcept { return bytes_.size(); }
  /// Without what was laid.
  std::span<const std::byte> view() const noexcept { return {bytes_.data(), size_}; }
  bool has_laid() const noexcept { return !laid_.empty(); }

  /// Copies all from `at` on, laid or put, as far as there is room.
  void copy(std::size_t at, std::span<std::byte> into) const {
    const auto take = [&](std::span<const std::byte> part) {
      const auto skipped = std::min(at, part.size());
      at -= skipped;
      const auto count = std::min(part.size() - skipped, into.size());
      if (count != 0) std::memcpy(into.data(), part.data() + skipped, count);
      into = into.subspan(count);
    };
    std::size_t put = 0;
    for (const auto& part : laid_) {
      take(view().subspan(put, part.at - put));
      take(part.bytes);
      put = part.at;
    }
    take(view().subspan(put));
  }

  Bytes take() {
    if (has_laid()) {
      Bytes all(size());
      copy(0, all);
      shrink(0);
      return all;
    }
    bytes_.resize(size_);
    size_ = 0;
    return std::move(bytes_);
  }

 private:
  struct Laid {
    std::size_t at;  // where among what was put
    std::span<const std::byte> bytes;
    const void* owner;
  };

  // Not by the vector's own growth: with an allocator of ours it copies byte by byte. The slack is
  // for what is put behind a large array.
  [[gnu::noinline]] void make_room(std::size_t size) {
    constexpr std::size_t slack = 1024;
    Bytes larger(std::max(2 * bytes_.size(), size_ + size + slack));
    if (size_ != 0) std::memcpy(larger.data(), bytes_.data(), size_);
    bytes_ = std::move(larger);
  }

  Bytes bytes_;  // the first `size_` are written
  std::size_t size_ = 0;
  std::vector<Laid> laid_;  // where the collector looks
  std::size_t laid_size_ = 0;
};

/// Reads what a Writer wrote. Reading past the end throws BadBytes; no input is undefined
/// behaviour.
class Reader {
 public:
  explicit Reader(std::span<const std::byte> bytes) noexcept : rest_(bytes) {}

  template <class T>
  requires(std::is_trivially_copyable_v<T> && !std::is_same_v<T, bool> && !std::is_enum_v<T>) T
      get() {
    T value;
    raw(&value, sizeof value);
    return value;
  }

  std::string get_string() {
    const auto size = get<std::uint32_t>();
    need(size);
    std::string text(reinterpret_cast<const char*>(rest_.data()), size);
    rest_ = rest_.subspan(size);
    return text;
  }

  [[gnu::always_inline]] void raw(void* into, std::size_t size) {
    need(size);
    if (size != 0) std::memcpy(into, rest_.data(), size);
    rest_ = rest_.subspan(size);
  }

  std::span<const std::byte> slice(std::size_t size) {
    need(size);
    const auto part = rest_.first(size);
    rest_ = rest_.subspan(size);
    return part;
  }

  /// There may be no more.
  void end() const {
    if (!rest_.empty()) throw BadBytes("it is too long");
  }

  std::size_t left() const noexcept { return rest_.size(); }
  std::span<const std::byte> rest() const noexcept { return rest_; }

 private:
  void need(std::size_t size) const {
    if (size > rest_.size()) throw BadBytes("it ends too early");
  }

  std::span<const std::byte> rest_;
};

}  // namespace trawl
