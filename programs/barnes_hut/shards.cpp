#include "programs/barnes_hut/shards.hpp"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <vector>

#include <fmt/format.h>
#include <trawl/trawl.hpp>

#include "programs/barnes_hut/text_format.hpp"
#include "programs/barnes_hut/tipsy.hpp"
#include "programs/common/bad_input.hpp"
#include "programs/common/with_file.hpp"

namespace bh {
namespace {

using programs::BadInput;

std::uint32_t index(std::size_t i) {
  return static_cast<std::uint32_t>(i);
}

Body in_place(Body body, std::uint32_t place) {
  body.place = place;
  return body;
}

Body nth(std::size_t i, const Bodies& all) {
  return all[i];
}

Shards read_text_shards(const std::string& file) {
  const auto lines = trawl::read_lines({file});
  const auto summary = trawl::force(trawl::reduce<summary_of, joined>(lines));
  check_text(file, summary);
  const auto bodies = trawl::evenly(trawl::map_shards<bodies_of>(lines));
  return {trawl::map<in_place>(bodies, trawl::generate<index>(summary.bodies)), summary.time};
}

/// Of a file in as many sections as there are numbers.
Bodies read_section(const std::vector<std::uint32_t>& numbers, const std::string& file,
                    const TipsyHead& head, std::uint64_t sections) {
  Bodies bodies;
  if (numbers.empty()) return bodies;
  const auto all = head.bodies();
  const auto from = all * numbers.front() / sections;
  const auto to = all * (numbers.back() + std::uint64_t{1}) / sections;
  const auto [begin, end] = tipsy_bytes(head, from, to);
  std::string bytes(static_cast<std::size_t>(end - begin), 0);
  errno = 0;
  std::ifstream in(file, std::ios::binary);
  in.seekg(static_cast<std::streamoff>(begin));
  if (!in.read(bytes.data(), static_cast<std::streamsize>(bytes.size())))
    throw BadInput(fmt::format("{}: can't be read: {}", file, std::strerror(errno)));
  return tipsy_bodies(bytes, head, from, to);
}

Shards read_tipsy_shards(const std::string& file) {
  std::string begin(tipsy_head_bytes, 0);
  std::ifstream(file, std::ios::binary).read(begin.data(), tipsy_head_bytes);
  const auto head = tipsy_head(file, begin, std::filesystem::file_size(file));
  const std::uint64_t sections = std::min<std::uint64_t>(head.bodies(), 64);
  const auto bodies = trawl::evenly(
      trawl::map_shards<read_section>(trawl::generate<index>(sections), file, head, sections));
  check_particles(file, trawl::force(trawl::reduce<fault_in, first_of>(bodies)));
  return {bodies, head.time};
}

/// Of one shard, as it stands in the file.
std::vector<std::string> written_shard(const Bodies& shard, Format format, std::uint64_t count,
                                       double time) {
  return {written(shard, format, count, time)};
}

std::string itself(const std::string& text) {
  return text;
}

}  // namespace

Shards read_shards(const std::string& file) {
  std::error_code unknown;
  if (std::ifstream(file) && std::filesystem::is_regular_file(file, unknown))
    return format_of(file) == Format::tipsy ? read_tipsy_shards(file) : read_text_shards(file);
  const Snapshot all = read_bodies(file);
  return {trawl::generate<nth>(all.bodies.size(), trawl::Lazy<Bodies>(all.bodies)), all.time};
}

void write_shards(const std::string& file, const Shards& shards) {
  // PEs write a regular file each from its place.
  if (std::filesystem::exists(file) && !std::filesystem::is_regular_file(file))
    return write_bodies(file, {trawl::collect(shards.bodies), shards.time});
  const Format format = format_of(file);
  if (format == Format::tipsy)
    check_fits_tipsy(file, trawl::force(trawl::reduce<size_for_tipsy, larger>(shards.bodies)));
  const auto texts = trawl::map_shards<written_shard>(
      shards.bodies, format, std::uint64_t{shards.bodies.size()}, shards.time);
  programs::with_file([&] { trawl::write<itself>(texts, file); });
}

}  // namespace bh
