#include "rts/fabric/lean_start.hpp"

#include <cstddef>
#include <cstdlib>

namespace trawl::fabric {

LeanStart::LeanStart() {
  for (std::size_t each = 0; each < settings.size(); ++each) {
    const auto& [name, value, only_without] = settings[each];
    ours_[each] = std::getenv(name) == nullptr && std::getenv(only_without) == nullptr &&
                  setenv(name, value, 0) == 0;
  }
}

LeanStart::~LeanStart() {
  for (std::size_t each = 0; each < settings.size(); ++each)
    if (ours_[each]) unsetenv(settings[each].name);
}

}  // namespace trawl::fabric
