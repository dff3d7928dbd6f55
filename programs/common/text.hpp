// Text that users bring: whole files, the numbers in them, and what of them can be shown.
#pragma once

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include <fmt/format.h>

#include "programs/common/bad_input.hpp"

namespace programs {

/// The beginning of a text, as it can be shown in a message: a line, and nothing that a terminal
/// might obey.
inline std::string shown(std::string_view text, std::size_t most = 40) {
  std::string safe(text.substr(0, most));
  std::replace_if(
      safe.begin(), safe.end(), [](char c) { return c < ' ' || c > '~'; }, '?');
  return safe.size() < text.size() ? safe + "..." : safe;
}

/// The whole text as a number, as std::from_chars reads it and says what is wrong; a + may be
/// before it.
template <class T>
std::errc number(std::string_view text, T& into) {
  if (text.starts_with('+') && !text.starts_with("+-")) text.remove_prefix(1);
  const auto* end = text.data() + text.size();
  const auto [at, error] = std::from_chars(text.data(), end, into);
  return at == end ? error : std::errc::invalid_argument;
}

/// A whole file of up to so many bytes. Of what doesn't say how many it has (a pipe, a device) a
/// gigabyte is the most, and no byte may be 0: it may never end. Throws BadInput.
inline std::string read_file(const std::string& file,
                             std::uintmax_t most = std::numeric_limits<std::uintmax_t>::max()) {
  const auto refuse = [&](const std::string& cause) {
    throw BadInput(fmt::format("{}: {}", shown(file, file.size()), cause));
  };
  std::error_code unknown;
  if (std::filesystem::is_directory(file, unknown)) refuse("it is a directory");
  constexpr std::uintmax_t gigabyte = std::uintmax_t{1} << 30U;
  const auto size = std::filesystem::file_size(file, unknown);
  const bool may_never_end = unknown || size == 0;
  if (may_never_end) most = std::min(most, gigabyte);
  errno = 0;
  std::ifstream in(file, std::ios::binary);
  if (!in) refuse(std::strerror(errno));
  std::string text;
  std::vector<char> buffer(std::size_t{1} << 16U);
  while (in.read(buffer.data(), static_cast<std::streamsize>(buffer.size())), in.gcount() > 0) {
    const auto count = static_cast<std::size_t>(in.gcount());
    if (text.size() + count > most) refuse(fmt::format("it has more than {} bytes", most));
    if (may_never_end && std::memchr(buffer.data(), 0, count) != nullptr)
      refuse("it is no text: it has a byte that is 0");
    text.append(buffer.data(), count);
  }
  if (in.bad()) refuse(errno != 0 ? std::strerror(errno) : "it can't be read");
  return text;
}

}  // namespace programs
