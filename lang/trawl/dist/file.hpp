// Files that are read where their lines will lie, or come from the PE that asked for them where
// that is not possible; and that are written from all places at once.
#pragma once

#include <cerrno>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <functional>
#include <istream>
#include <span>
#include <streambuf>
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

// Of what follows String is std::string. It knows Lazy, so it is not compiled into the library
// (group.hpp); as a template it is in programs that use it, and not in each that includes this.

/// Some bytes of a file, and the rest of it: what there is of a file for who can't read it himself.
template <class String>
struct Piece {
  String bytes;      ///< none: it is at its end
  Lazy<Piece> rest;  ///< not read before somebody needs it
};

/// Lies where the file can be read.
template <class String>
Piece<String> read_piece(const String& file, std::uint64_t begin) {
  constexpr std::size_t bytes = std::size_t{1} << 20U;
  errno = 0;
  std::ifstream in(file, std::ios::binary);
  if (!in) throw_of_file(file, "read");
  in.seekg(static_cast<std::streamoff>(begin));
  String some(bytes, '\0');
  in.read(some.data(), static_cast<std::streamsize>(bytes));
  if (in.bad()) throw_of_file(file, "read");
  some.resize(static_cast<std::size_t>(in.gcount()));
  const auto end = begin + some.size();
  return {std::move(some), lazy_placed<&read_piece<String>>(file, end)};
}

/// Goes through pieces; the next is on its way meanwhile, and of those before none is kept.
template <class String>
class Streamed : public std::streambuf {
 public:
  explicit Streamed(Lazy<Piece<String>> first) : next_(first) {}

 private:
  int_type underflow() override {
    auto piece = consume(std::move(next_));
    now_ = std::move(piece.bytes);
    next_ = now_.empty() ? piece.rest : fetch(piece.rest);
    setg(now_.data(), now_.data(), now_.data() + now_.size());
    return now_.empty() ? traits_type::eof() : traits_type::to_int_type(now_.front());
  }

  Lazy<Piece<String>> next_;
  String now_;
};

/// Where a section is read from: the byte before it tells whether a line begins there.
inline std::uint64_t read_from(const Section& section) {
  return section.begin == 0 ? 0 : section.begin - 1;
}

/// Those that begin in the section, whose file is as long as it was; `in` is where `read_from`
/// says.
template <class Add>
void lines_of(const Section& section, std::istream& in, Add add) {
  std::string line;
  auto at = section.begin;
  if (at > 0) {  // the rest of a line belongs to the section before
    std::getline(in, line);
    at += line.size();
  }
  for (; at < section.end && std::getline(in, line); at += line.size() + 1)
    add(std::as_const(line));
  if (at < section.end) throw Error(section.file + " has become shorter while it was read");
}

/// The file of the same length, or of which nothing can be read.
std::ifstream same_file(const Section& section);

template <class String, class Add>
void read_section(const Section& section, const Lazy<Piece<String>>& elsewhere, Add add) {
  errno = 0;
  if (auto in = same_file(section); in.is_open()) {
    in.seekg(static_cast<std::streamoff>(read_from(section)));
    lines_of(section, in, add);
    if (in.bad()) throw_of_file(section.file, "read");
    return;
  }
  Streamed pieces(elsewhere);
  std::istream in(&pieces);
  in.exceptions(std::ios::badbit);  // what a piece throws comes out
  lines_of(section, in, add);
}

template <class String>
Shard<String> read_shard(const std::vector<Section>& sections,
                         const std::vector<Lazy<Piece<String>>>& elsewhere) {
  Made<String> made(0);
  for (std::size_t i = 0; i < sections.size(); ++i)
    read_section(sections[i], elsewhere[i], [&made](const String& line) { made.add(line); });
  return std::move(made).shard();
}

}  // namespace detail

/// The lines of some files, one file after the other, without their ends; each is read where it
/// will lie, or, where a file can't be opened there or has another length, by the PE that has
/// called this, in pieces of a mebibyte that go straight to the owner. Throws Error where a file is
/// not there, or does not say how long it is; who reads throws it where one has become shorter.
template <std::same_as<std::string> String = std::string>
Dist<String> read_lines(const std::vector<std::string>& files) {
  using namespace detail;
  std::vector<std::pair<std::string, std::uint64_t>> sizes;
  for (const auto& file : files) {
    std::error_code error;
    sizes.emplace_back(file, std::filesystem::file_size(file, error));
    if (error) throw Error(file + ": " + error.message());
    if (sizes.back().second == 0 && std::ifstream(file).peek() != std::ifstream::traits_type::eof())
      throw Error(file + ": it does not say how long it is; copy it to a regular file");
  }
  const auto sections = sections_of(sizes);
  Parts<String> parts;
  std::vector<double> bytes;
  for (const auto& each : sections) {
    auto& sum = bytes.emplace_back();
    for (const auto& section : each) sum += static_cast<double>(section.end - section.begin);
  }
  parts.places = places_for(bytes);
  for (const auto& each : sections) {
    std::vector<Lazy<Piece<String>>> elsewhere;
    for (const auto& section : each)
      elsewhere.push_back(lazy_placed<&read_piece<String>>(section.file, read_from(section)));
    parts.shards.push_back(lazy_placed<&read_shard<String>>(each, elsewhere));
  }
  return made_of(std::move(parts));
}

namespace detail {

template <class String>
struct Text {
  Lazy<String> bytes;  // kept
  std::uint64_t size = 0;
};

template <auto F, class String, class T>
Text<String> text_of_shard(std::size_t shard, const Lazy<Shard<T>>& source) {
  const auto& elements = force(force(source).elements);
  String text;
  each_element<F>("write", shard, elements.size(),
                  [&](std::size_t i) { text += std::invoke(F, elements[i]); });
  const auto size = text.size();
  return {keep(std::move(text)), size};
}

template <class String>
std::vector<std::uint64_t> text_begins(const std::vector<Lazy<Text<String>>>& texts) {
  std::vector<std::uint64_t> begins{0};
  for (const auto& text : texts) begins.push_back(begins.back() + force(text).size);
  return begins;
}

template <class String>
std::uint64_t write_text(std::size_t shard, const Lazy<Text<String>>& text,
                         const Lazy<std::vector<std::uint64_t>>& begins, const String& file) {
  const auto& bytes = force(force(text).bytes);
  const auto begin = force(begins)[shard];
  errno = 0;
  std::fstream out(file, std::ios::binary | std::ios::in | std::ios::out);
  out.seekp(static_cast<std::streamoff>(begin));
  out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  out.flush();
  if (!out) throw_of_file(file, "written");
  return bytes.size();
}

}  // namespace detail

/// Writes `f(x)`, a std::string, of each element into one file, in order; each shard is written
/// from where it lies. Returns when all is written, and says how many bytes that are. Throws what
/// went wrong: what `f` throws before the file is touched; after that it is not to be trusted.
template <auto F, class T>
std::uint64_t write(const Dist<T>& d, const std::string& file) {
  using namespace detail;
  constexpr bool fits = std::is_invocable_r_v<std::string, decltype(F), const T&>;
  static_assert(fits, "trawl: write takes a function of an element that gives a std::string.");
  std::uint64_t sum = 0;
  if constexpr (fits) {
    using String = std::conditional_t<fits, std::string, void>;
    const auto& source = d.parts();
    errno = 0;
    const auto open = [&file](std::ios::openmode how) {
      if (!std::ofstream(file, std::ios::binary | how)) throw_of_file(file, "written");
    };
    if (source.shards.empty()) return open(std::ios::trunc), 0;
    open(std::ios::app);  // before anything is computed for it
    std::vector<Lazy<Text<String>>> texts;
    for (std::size_t i = 0; i < source.shards.size(); ++i)
      texts.push_back(lazy_placed<&text_of_shard<F, String, T>>(i, source.shards[i]));
    start(texts, source.places);
    const auto begins = lazy_placed<&text_begins<String>>(texts);
    start(std::vector{begins}, std::span(source.places).first(1));
    force(begins);  // what is written may still be read from this file
    open(std::ios::trunc);
    std::vector<Lazy<std::uint64_t>> written;
    for (std::size_t i = 0; i < texts.size(); ++i)
      written.push_back(lazy_placed<&write_text<String>>(i, texts[i], begins, file));
    start(written, source.places);
    for (const auto& each : written) sum += force(each);
  }
  return sum;
}

}  // namespace trawl
