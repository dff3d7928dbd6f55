#include "profiles/replay/read_recording.hpp"

#include <cerrno>
#include <cstring>
#include <fstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "profiles/ascii.hpp"
#include "profiles/replay/graph_builder.hpp"
#include "rts/inline/error.hpp"
#include "rts/trace/recording.hpp"

namespace replay {
namespace {

namespace format = trawl::trace::recording;
using trawl::BadBytes;
using trawl::trace::Did;

/// Here the file ends, or is damaged: what was read before is as it was written.
struct Cut : BadBytes {
  using BadBytes::BadBytes;
};

/// A file, in parts, and how far it has been read.
class File {
 public:
  explicit File(const std::string& name) : name_(name), in_(name, std::ios::binary) {
    if (!in_ || in_.peek() == std::ifstream::traits_type::eof())
      throw trawl::Error(
          "cannot read " + name + ": " + (errno != 0 ? std::strerror(errno) : "it is empty"), 2);
  }

  bool at_end() { return in_.peek() == std::ifstream::traits_type::eof(); }
  std::uint64_t at() const { return at_; }
  /// ... of which there may be less. Nothing is taken.
  bool begins_with(std::uint64_t magic) {
    std::uint64_t found = magic;
    in_.read(reinterpret_cast<char*>(&found), sizeof found);
    in_.clear();
    in_.seekg(0);
    return found == magic;
  }
  trawl::Bytes take(std::size_t size) {
    trawl::Bytes bytes(size);
    in_.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(size));
    if (static_cast<std::size_t>(in_.gcount()) != size) throw Cut("it is cut short");
    at_ += size;
    return bytes;
  }

 private:
  std::string name_;
  std::ifstream in_;
  std::uint64_t at_ = 0;
};

struct Header {
  std::string program;
  std::uint64_t sum;
};

Header read_header(File& file) {
  if (!file.begins_with(format::file_magic)) throw BadBytes("this is no recording");
  auto bytes = file.take(format::header_size);
  trawl::Reader in(bytes);
  in.get<std::uint64_t>();
  if (const auto version = in.get<std::uint32_t>(); version != format::version)
    throw BadBytes("its format is " + std::to_string(version) + ", and not " +
                   std::to_string(format::version));
  const auto size = in.get<std::uint32_t>();
  if (size > format::longest_name) throw BadBytes("the program's name is too long");
  const auto name = file.take(size);
  bytes.insert(bytes.end(), name.begin(), name.end());
  return {{reinterpret_cast<const char*>(name.data()), name.size()}, format::checksum(bytes)};
}

class Events {
 public:
  explicit Events(std::span<const std::byte> bytes) : bytes_(bytes) {}

  std::size_t at() const { return at_; }
  bool left() const { return at_ < bytes_.size(); }
  std::uint8_t kind() {
    const auto kind = static_cast<std::uint8_t>(bytes_[at_++]);
    if (kind >= trawl::trace::event_numbers.size()) throw BadBytes("there is no such event");
    return kind;
  }
  std::uint64_t number() {
    std::uint64_t n = 0;
    for (unsigned shift = 0; shift < 63; shift += 7) {
      if (!left()) throw BadBytes("an event is cut short");
      const auto byte = static_cast<std::uint64_t>(bytes_[at_++]);
      n |= (byte & 0x7FU) << shift;
      if (byte < 0x80) return n;
    }
    throw BadBytes("a number is too long");
  }
  /// Up to a zero byte.
  std::string text(std::size_t longest) {
    std::string text;
    while (left() && bytes_[at_] != std::byte{0}) {
      if (text.size() == longest) throw BadBytes("a path is too long");
      text += static_cast<char>(bytes_[at_++]);
    }
    if (!left()) throw BadBytes("a path is cut short");
    ++at_;
    return text;
  }

 private:
  std::span<const std::byte> bytes_;
  std::size_t at_ = 0;
};

void read_events(Events& events, GraphBuilder& builder) {
  while (events.left()) {
    const auto kind = events.kind();
    std::uint64_t numbers[3] = {};
    for (std::size_t i = 0; i < trawl::trace::event_numbers[kind]; ++i)
      numbers[i] = events.number();
    builder.tell(static_cast<Did>(kind), numbers);
  }
}

/// Each with a zero byte behind it.
std::vector<std::string> names_in(std::string_view all) {
  std::vector<std::string> names;
  while (!all.empty()) {
    const auto end = all.find('\0');
    if (end > format::longest_function) throw BadBytes("a function's name is too long");
    names.push_back(trawl::profile::ascii(all.substr(0, end)));
    all.remove_prefix(end + 1);
  }
  return names;
}

void read_sites(Events& events, GraphBuilder& builder) {
  auto file = events.text(format::longest_path);
  auto build = events.text(format::longest_name);
  std::vector<Site> sites;
  while (events.left()) {
    if (sites.size() == format::most_sites) throw BadBytes("it has too many sites");
    Site site;
    auto places = events.number();
    if (places > format::most_places) throw BadBytes("a site has too many places");
    for (; places != 0; --places) site.push_back(static_cast<std::uint32_t>(events.number()));
    sites.push_back(std::move(site));
  }
  builder.sites(std::move(file), std::move(build), std::move(sites));
}

void read_shared(Events& events, GraphBuilder& builder) {
  Plain<std::uint64_t> bytes;
  while (events.left()) {
    if (bytes.size() == format::most_shared) throw BadBytes("it has too many shared values");
    bytes.push_back(events.number());
    if (bytes.back() > format::most_bytes) throw BadBytes("a shared value is too large");
  }
  builder.shared(std::move(bytes));
}

/// Which kind of block it was, of those that may stand there.
std::uint32_t read_block(File& file, GraphBuilder& builder, const Header& header,
                         std::uint64_t before, std::uint64_t& place) {
  const auto head = file.take(format::block_header_size);
  trawl::Reader in(head);
  const auto magic = in.get<std::uint32_t>();
  if (magic != format::block_magic && magic != format::names_magic &&
      magic != format::sites_magic && magic != format::shared_magic && magic != format::end_magic)
    throw Cut("no block begins here");
  const auto size = in.get<std::uint32_t>();
  if (size == 0 || size > format::most_block) throw Cut("a block of an impossible size");
  const auto sum = in.get<std::uint64_t>();
  const auto begin = file.at();
  const auto bytes = file.take(size);
  if (format::checksum(bytes) != sum) throw Cut("this block is damaged");
  if (magic == format::end_magic) {
    trawl::Reader told(bytes);
    if (told.get<std::uint64_t>() != before) throw BadBytes("some of its blocks are missing");
    if (builder.is_cut()) throw BadBytes("it ends before its root does");
    if (told.get<std::uint64_t>() != header.sum) throw BadBytes("its header is damaged");
    told.end();
    return magic;
  }
  if (magic == format::names_magic) {
    builder.names(names_in({reinterpret_cast<const char*>(bytes.data()), bytes.size()}));
    return magic;
  }
  Events events(bytes);
  try {
    if (magic == format::sites_magic)
      read_sites(events, builder);
    else if (magic == format::shared_magic)
      read_shared(events, builder);
    else
      read_events(events, builder);
  } catch (const BadBytes&) {
    place = begin + events.at();
    throw;
  }
  return magic;
}

/// All of them; else until where it is cut, and why. There is nothing in one without any.
std::string read_blocks(File& file, GraphBuilder& builder, const Header& header,
                        std::uint64_t& place) {
  std::uint32_t last = 0;
  for (std::uint64_t blocks = 0;; ++blocks) {
    place = file.at();
    try {
      if (last == format::end_magic) {
        if (file.at_end()) return "";
        throw BadBytes("something is behind its end");
      }
      last = read_block(file, builder, header, blocks, place);
    } catch (const Cut& cut) {
      if (blocks == 0) throw;
      return cut.what();
    }
  }
}

std::string at(const std::string& name, std::uint64_t place) {
  return name + ": byte " + std::to_string(place) + ": ";
}

}  // namespace

Graph read_recording(const std::string& name, Grain grain) {
  errno = 0;
  File file(name);
  std::uint64_t place = 0;
  try {
    const auto header = read_header(file);
    GraphBuilder builder(grain);
    auto cut = read_blocks(file, builder, header, place);
    if (!cut.empty()) {
      builder.cut_short();
      if (builder.lacks_shared()) cut += ", and what tasks share is lost";
    }
    auto graph = builder.take();
    if (!cut.empty()) graph.cut_short = at(name, place) + cut;
    graph.program = trawl::profile::ascii(header.program);
    return graph;
  } catch (const BadBytes& bad) {
    throw trawl::Error(at(name, place) + bad.what(), 2);
  } catch (const trawl::Error& trouble) {
    throw trawl::Error(name + ": " + trouble.what(), 2);
  } catch (const std::bad_alloc&) {
    throw trawl::Error(name + ": there is not enough memory for it", 1);
  }
}

}  // namespace replay
