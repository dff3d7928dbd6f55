#include "profiles/printable.hpp"

#include <nlohmann/json.hpp>

namespace trawl::profile {

std::string printable(const std::string& text) {
  const auto replace = nlohmann::json::error_handler_t::replace;
  auto clean =
      nlohmann::json::parse(nlohmann::json(text).dump(-1, ' ', false, replace)).get<std::string>();
  for (char& c : clean)
    if ((c >= 0 && c < ' ' && c != '\n') || c == '\x7f') c = '?';
  return clean;
}

}  // namespace trawl::profile
