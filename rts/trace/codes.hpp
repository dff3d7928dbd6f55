// The names of a program's codes beside its event logs: a line each, in the order of their ids,
// with a * before those whose thunks are placed, as skeletons do; and a last line by which damage
// is noticed.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "rts/trace/format.hpp"

namespace trawl::trace {

inline constexpr const char* codes_file = "codes.txt";
inline constexpr std::size_t longest_codes = std::size_t{1} << 22U;  ///< bytes

/// What the file's last line has to be behind these.
inline std::string end_of_codes(std::string_view lines) {
  std::string padded(lines);
  padded.resize((padded.size() + 7) / 8 * 8);
  const auto sum = checksum(std::as_bytes(std::span(padded)), lines.size());
  char end[32];
  std::snprintf(end, sizeof end, "# %016llx\n", static_cast<unsigned long long>(sum));
  return end;
}

inline constexpr char placed_mark = '*';

inline std::string encode_codes(std::span<const std::string> names) {
  std::string text;
  for (const auto& name : names) text += name + '\n';
  return text + end_of_codes(text);
}

struct Codes {
  std::vector<std::string> names;
  std::vector<bool> placed;
  bool whole = true;  ///< false: damaged, or cut short; names may be wrong, or missing
};

inline Codes decode_codes(std::string_view text) {
  const auto before = text.substr(0, text.empty() ? 0 : text.size() - 1).rfind('\n');
  auto lines = text.substr(0, before == std::string_view::npos ? 0 : before + 1);
  Codes codes;
  codes.whole = text.substr(lines.size()) == end_of_codes(lines);
  if (!codes.whole) lines = text;
  while (!lines.empty()) {
    auto name = lines.substr(0, lines.find('\n'));
    lines.remove_prefix(std::min(lines.size(), name.size() + 1));
    codes.placed.push_back(name.starts_with(placed_mark));
    if (codes.placed.back()) name.remove_prefix(1);
    codes.names.emplace_back(name);
  }
  return codes;
}

}  // namespace trawl::trace
