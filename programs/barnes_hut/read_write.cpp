#include "programs/barnes_hut/read_write.hpp"

#include <cerrno>
#include <cstring>
#include <fstream>

#include <fmt/format.h>

#include "programs/barnes_hut/text_format.hpp"
#include "programs/barnes_hut/tipsy.hpp"
#include "programs/common/text.hpp"

namespace bh {
namespace {

using programs::BadInput;

Snapshot read_tipsy(const std::string& file, std::string_view content) {
  const auto head = tipsy_head(file, content, content.size());
  content.remove_prefix(static_cast<std::size_t>(head.begin));
  Snapshot snapshot{tipsy_bodies(content, head, 0, head.bodies()), head.time};
  for (const auto& body : snapshot.bodies) check_particles(file, fault_in(body));
  return snapshot;
}

}  // namespace

Format format_of(const std::string& file) {
  if (file.ends_with(".tipsy") || file.ends_with(".std")) return Format::tipsy;
  return file.ends_with(".csv") ? Format::csv : Format::text;
}

Snapshot read_bodies(const std::string& file) {
  const std::string content = programs::read_file(file);
  if (format_of(file) == Format::tipsy) return read_tipsy(file, content);
  Snapshot snapshot = read_text(file, content);
  for (std::size_t i = 0; i < snapshot.bodies.size(); ++i)
    snapshot.bodies[i].place = static_cast<std::uint32_t>(i);
  return snapshot;
}

std::string written(const Bodies& bodies, Format format, std::uint64_t count, double time) {
  return format == Format::tipsy ? tipsy_of(bodies, count, time)
                                 : text_of(bodies, time, format == Format::csv);
}

void write_bodies(const std::string& file, const Snapshot& snapshot) {
  const Format format = format_of(file);
  if (format == Format::tipsy)
    for (const auto& body : snapshot.bodies) check_fits_tipsy(file, size_for_tipsy(body));
  errno = 0;
  std::ofstream out(file, std::ios::binary);
  out << written(snapshot.bodies, format, snapshot.bodies.size(), snapshot.time) << std::flush;
  if (!out) throw BadInput(fmt::format("{}: {}", file, std::strerror(errno)));
}

}  // namespace bh
