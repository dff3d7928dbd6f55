#include "rts/launch/printed.hpp"

#include <algorithm>

namespace trawl::launch {

std::string_view Printed::only_new(std::string_view text) {
  constexpr std::size_t most_kept = std::size_t{16} << 20U;
  if (too_long_) return text;
  const auto old = std::min(text.size(), all_.size() - compared_);
  if (text.substr(0, old) != std::string_view(all_).substr(compared_, old)) differs_ = true;
  if (differs_) return {};
  const auto news = text.substr(old);
  too_long_ = all_.size() + news.size() > most_kept;
  if (!too_long_) all_ += news;
  compared_ += text.size();
  return news;
}

}  // namespace trawl::launch
