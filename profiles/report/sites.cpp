#include "profiles/report/sites.hpp"

#include <utility>

namespace trawl::profile {

void Sites::see(const trace::Header& header, const trace::Event& event) {
  if (event.kind != trace::Kind::spark_site || header.file.empty()) return;
  auto& stack = begun_[{header.pe, event.worker}];
  if (stack.places.empty() || stack.code != event.value) stack = {event.value, {}};
  if (stack.places.size() < longest) stack.places.push_back(event.id);
  if (event.extra != 0) return;
  if (count_ < most && stacks_[{header.file, header.build}].insert(std::move(stack)).second)
    ++count_;
  stack = {};
}

SitesByCode Sites::result() const {
  std::map<std::uint32_t, std::set<Line>> found;
  for (const auto& [file, stacks] : stacks_) {
    const Lines lines(file.first, file.second);
    for (const auto& stack : stacks)
      if (auto line = lines.of_program(stack.places); line.number != 0)
        found[stack.code].insert(std::move(line));
  }
  SitesByCode sites;
  for (const auto& [code, lines] : found) sites[code].assign(lines.begin(), lines.end());
  return sites;
}

}  // namespace trawl::profile
