// Numbers that CLI11 would take for octal ones.
#pragma once

#include <string_view>

namespace trawl {

/// 010, which would be 8.
inline bool is_octal(std::string_view text) {
  return text.size() > 1 && text[0] == '0' && text[1] >= '0' && text[1] <= '9';
}

}  // namespace trawl
