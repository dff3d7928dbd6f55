#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <istream>
#include <span>
#include <streambuf>

#include <trawl/dist/file.hpp>
#include <trawl/dist/shares.hpp>

namespace trawl {
namespace detail {

void throw_of_file(const std::string& file, const char* what) {
  throw Error(file + ": can't be " + what + " by PE " + std::to_string(sched::pe_here()) + ": " +
              std::strerror(errno));
}

namespace {

// Lies where the file can be read.
Piece read_piece(const std::string& file, std::uint64_t begin) {
  constexpr std::size_t bytes = std::size_t{1} << 20U;
  errno = 0;
  std::ifstream in(file, std::ios::binary);
  if (!in) throw_of_file(file, "read");
  in.seekg(static_cast<std::streamoff>(begin));
  std::string some(bytes, '\0');
  in.read(some.data(), static_cast<std::streamsize>(bytes));
  if (in.bad()) throw_of_file(file, "read");
  some.resize(static_cast<std::size_t>(in.gcount()));
  const auto end = begin + some.size();
  return {std::move(some), lazy_placed<&read_piece>(file, end)};
}

// Goes through pieces; the next is on its way meanwhile, and of those before none is kept.
class Streamed : public std::streambuf {
 public:
  explicit Streamed(Lazy<Piece> first) : next_(first) {}

 private:
  int_type underflow() override {
    auto piece = consume(std::move(next_));
    now_ = std::move(piece.bytes);
    next_ = now_.empty() ? piece.rest : fetch(piece.rest);
    setg(now_.data(), now_.data(), now_.data() + now_.size());
    return now_.empty() ? traits_type::eof() : traits_type::to_int_type(now_.front());
  }

  Lazy<Piece> next_;
  std::string now_;
};

// Where a section is read from: the byte before it tells whether a line begins there.
std::uint64_t read_from(const Section& section) {
  return section.begin == 0 ? 0 : section.begin - 1;
}

// Those that begin in the section, whose file is as long as it was; `in` is where `read_from`
// says.
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

// The file of the same length, or of which nothing can be read.
std::ifstream same_file(const Section& section) {
  std::ifstream in(section.file, std::ios::binary | std::ios::ate);
  if (in && static_cast<std::uint64_t>(in.tellg()) != section.size) in.close();
  return in;
}

template <class Add>
void read_section(const Section& section, const Lazy<Piece>& elsewhere, Add add) {
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

}  // namespace

Lazy<Piece> pieces_of(const Section& section) {
  return lazy_placed<&read_piece>(section.file, read_from(section));
}

Shard<std::string> read_shard(const std::vector<Section>& sections,
                              const std::vector<Lazy<Piece>>& elsewhere) {
  Made<std::string> made(0);
  for (std::size_t i = 0; i < sections.size(); ++i)
    read_section(sections[i], elsewhere[i], [&made](const std::string& line) { made.add(line); });
  return std::move(made).shard();
}

std::vector<std::vector<Section>> sections_of(
    const std::vector<std::pair<std::string, std::uint64_t>>& files) {
  constexpr std::uint64_t small = std::uint64_t{64} << 10U;
  constexpr std::uint64_t large = std::uint64_t{64} << 20U;
  std::uint64_t bytes = 0;
  for (const auto& file : files) bytes += file.second;
  const auto count = static_cast<std::size_t>(std::clamp<std::uint64_t>(
      std::max(std::min<std::uint64_t>(bytes / small, 64), bytes / large), 1, 4096));
  std::vector<std::vector<Section>> shards(count);
  std::uint64_t before = 0;  // of this file
  std::size_t shard = 0;
  for (const auto& [file, size] : files) {
    for (std::uint64_t at = 0; at < size;) {
      while (shard_begin(bytes, count, shard + 1) <= before + at) ++shard;
      const auto end = std::min(size, shard_begin(bytes, count, shard + 1) - before);
      shards[shard].push_back({file, at, end, size});
      at = end;
    }
    before += size;
  }
  return shards;
}

}  // namespace detail

Dist<std::string> read_lines(const std::vector<std::string>& files) {
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
  Parts<std::string> parts;
  std::vector<double> bytes;
  for (const auto& each : sections) {
    auto& sum = bytes.emplace_back();
    for (const auto& section : each) sum += static_cast<double>(section.end - section.begin);
  }
  parts.places = places_for(bytes);
  for (const auto& each : sections) {
    std::vector<Lazy<Piece>> elsewhere;
    for (const auto& section : each) elsewhere.push_back(pieces_of(section));
    parts.shards.push_back(lazy_placed<&read_shard>(each, elsewhere));
  }
  return made_of(std::move(parts));
}

namespace detail {
namespace {

void open_to_write(const std::string& file, std::ios::openmode how) {
  errno = 0;
  if (!std::ofstream(file, std::ios::binary | how)) throw_of_file(file, "written");
}

std::vector<std::uint64_t> text_begins(const std::vector<Lazy<Text>>& texts) {
  std::vector<std::uint64_t> begins{0};
  for (const auto& text : texts) begins.push_back(begins.back() + force(text).size);
  return begins;
}

}  // namespace

void check_can_be_written(const std::string& file) {
  open_to_write(file, std::ios::app);
}

std::uint64_t write_text(std::size_t shard, const Lazy<Text>& text,
                         const Lazy<std::vector<std::uint64_t>>& begins, const std::string& file) {
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

std::uint64_t write_texts(const std::vector<Lazy<Text>>& texts, const std::vector<Place>& places,
                          const std::string& file) {
  if (texts.empty()) {
    open_to_write(file, std::ios::trunc);
    return 0;
  }
  const auto begins = lazy_placed<&text_begins>(texts);
  start(std::vector{begins}, std::span(places).first(1));
  force(begins);  // what is written may still be read from this file
  open_to_write(file, std::ios::trunc);
  std::vector<Lazy<std::uint64_t>> written;
  for (std::size_t i = 0; i < texts.size(); ++i)
    written.push_back(lazy_placed<&write_text>(i, texts[i], begins, file));
  start(written, places);
  std::uint64_t sum = 0;
  for (const auto& each : written) sum += force(each);
  return sum;
}

}  // namespace detail
}  // namespace trawl
