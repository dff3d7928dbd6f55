// What those who belong to a run know and nobody else does.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace trawl::fabric::net {

/// 256 bits, by which both ends of a connection prove that they belong to the same run.
struct Key {
  std::array<std::uint8_t, 32> bytes{};  ///< all zeros: none

  friend bool operator==(const Key&, const Key&) = default;
};

/// Throws Error if the system has no random numbers.
void fill_with_random(std::span<std::uint8_t> bytes);

/// A new one. Throws Error if the system has no random numbers.
Key make_key();

/// 64 hexadecimal digits; no text is no key. Throws Error (exit code 2) for anything else, without
/// repeating it.
Key read_key(std::string_view text);

std::string text_of(const Key& key);

}  // namespace trawl::fabric::net
