// Arrays of numbers as text: base64 of their bytes, which a browser takes as a typed array.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace trawl::profile {

std::string base64(std::span<const std::byte> bytes);

template <class T>
std::string packed(const std::vector<T>& numbers) {
  return base64(std::as_bytes(std::span(numbers)));
}

}  // namespace trawl::profile
