// Files that are read where their lines will lie, or come from the PE that asked for them where
// that is not possible; and that are written from all places at once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <trawl/dist/map.hpp>

namespace trawl {
namespace detail {

/// A part of a file.
struct Section {
  std::string file;
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  std::uint64_t size = 0;  // of the file
};

/// By errno. `what`: it can't be read, or written.
[[noreturn]] void throw_of_file(const std::string& file, const char* what);

/// By the bytes of the files alone: none of much less than 64 KiB, nor of more than 64 MiB where
/// that can be had with some thousands.
std::vector<std::vector<Section>> sections_of(
    const std::vector<std::pair<std::string, std::uint64_t>>& files);

/// Some bytes of a file, and the rest of it: what there is of a file for who can't read it himself.
struct Piece {
  std::string bytes;  // none: it is at its end
  Lazy<Piece> rest;   // not read before somebody needs it
};

/// Pieces of the section's file, from where who reads its lines begins. They lie where it can be
/// read.
Lazy<Piece> pieces_of(const Section& section);

/// The lines that begin in these sections. What can't be read here comes from `elsewhere`.
Shard<std::string> read_shard(const std::vector<Section>& sections,
                              const std::vector<Lazy<Piece>>& elsewhere);

}  // namespace detail

/// The lines of some files, one file after the other, without their ends; each is read where it
/// will lie, or, where a file can't be opened there or has another length, by the PE that has
/// called this, in pieces of a mebibyte that go straight to the owner. Throws Error where a file is
/// not there, or does not say how long it is; who reads throws it where one has become shorter.
Dist<std::string> read_lines(const std::vector<std::string>& files);

namespace detail {

/// What one shard has for a file.
struct Text {
  Lazy<std::string> bytes;  // kept
  std::uint64_t size = 0;
};

template <auto F, class T>
Text text_of_shard(std::size_t shard, const Lazy<Shard<T>>& source) {
  const auto& elements = force(force(source).elements);
  std::string text;
  each_element<F>("write", shard, elements.size(), [&](std::size_t i) { text += F(elements[i]); });
  const auto size = text.size();
  return {keep(std::move(text)), size};
}

/// Throws Error if it can't be written to.
void check_can_be_written(const std::string& file);

/// At `begins[shard]`. How many bytes that are.
std::uint64_t write_text(std::size_t shard, const Lazy<Text>& text,
                         const Lazy<std::vector<std::uint64_t>>& begins, const std::string& file);

/// One behind the other, each from its place, once all are made. How many bytes that are.
std::uint64_t write_texts(const std::vector<Lazy<Text>>& texts, const std::vector<Place>& places,
                          const std::string& file);

}  // namespace detail

/// Writes `f(x)`, a std::string, of each element into one file, in order; each shard is written
/// from where it lies. Returns when all is written, and says how many bytes that are. Throws what
/// went wrong: what `f` throws before the file is touched; after that it is not to be trusted.
template <auto F, class T>
std::uint64_t write(const Dist<T>& d, const std::string& file) {
  using namespace detail;
  constexpr bool fits = std::is_invocable_r_v<std::string, decltype(F), const T&>;
  static_assert(fits, "trawl: write takes a function of an element that gives a std::string.");
  if constexpr (fits) {
    check_can_be_written(file);  // before anything is computed for it
    const auto& source = d.parts();
    std::vector<Lazy<Text>> texts;
    for (std::size_t i = 0; i < source.shards.size(); ++i)
      texts.push_back(lazy_placed<&text_of_shard<F, T>>(i, source.shards[i]));
    start(texts, source.places);
    return write_texts(texts, source.places, file);
  } else {
    return 0;
  }
}

}  // namespace trawl
