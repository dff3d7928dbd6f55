// Bytes that are nearly what they should be.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <random>
#include <vector>

#include "rts/inline/bytes.hpp"

namespace fuzz {

class ByteDamage {
 public:
  explicit ByteDamage(std::uint64_t seed) : random_(seed) {}
  std::uint64_t operator()() { return random_(); }
  std::size_t below(std::size_t n) { return static_cast<std::size_t>(random_() % n); }
  bool one_in(std::size_t n) { return below(n) == 0; }

  std::uint64_t interesting() {
    constexpr std::uint64_t values[] = {
        0,    1,          2,          3,          4,        7,     16,          255,
        1024, 0x7fffffff, 0x80000000, 0xffffffff, 1U << 20, ~0ULL, ~0ULL >> 1U, 1ULL << 63U};
    return one_in(2) ? values[below(std::size(values))] : random_() % 64;
  }

  /// From behind `from`: some of it another.
  void damage(trawl::Bytes& bytes, std::size_t from, const std::vector<trawl::Bytes>& others) {
    for (auto times = 1 + below(4); times > 0 && bytes.size() > from; --times) {
      const auto at = from + below(bytes.size() - from);
      switch (below(7)) {
        case 0:
          bytes.resize(at);
          break;
        case 1:
          bytes[at] ^= std::byte{1} << static_cast<int>(below(8));
          break;
        case 2:
          bytes[at] = static_cast<std::byte>(random_());
          break;
        case 3: {
          const auto value = interesting();
          const auto width = std::min<std::size_t>(std::size_t{1} << below(4), bytes.size() - at);
          std::memcpy(bytes.data() + at, &value, width);
          break;
        }
        case 4: {  // a splice
          if (others.empty()) break;
          const auto& other = others[below(others.size())];
          if (other.empty()) break;
          const auto begin = below(other.size());
          const auto size = std::min(below(64), other.size() - begin);
          const auto first = other.begin() + static_cast<std::ptrdiff_t>(begin);
          if (one_in(2)) bytes.resize(at);
          bytes.insert(bytes.begin() + static_cast<std::ptrdiff_t>(std::min(at, bytes.size())),
                       first, first + static_cast<std::ptrdiff_t>(size));
          break;
        }
        case 5: {  // some of it twice
          const trawl::Bytes part(bytes.begin() + static_cast<std::ptrdiff_t>(at),
                                  bytes.begin() + static_cast<std::ptrdiff_t>(
                                                      at + std::min(below(40), bytes.size() - at)));
          bytes.insert(bytes.end(), part.begin(), part.end());
          break;
        }
        default: {
          const auto end = std::min(bytes.size(), at + below(20));
          bytes.erase(bytes.begin() + static_cast<std::ptrdiff_t>(at),
                      bytes.begin() + static_cast<std::ptrdiff_t>(end));
        }
      }
    }
  }

  trawl::Bytes noise() {
    trawl::Bytes bytes(below(200));
    for (auto& byte : bytes) byte = static_cast<std::byte>(one_in(2) ? interesting() : random_());
    return bytes;
  }

 private:
  std::mt19937_64 random_;
};

}  // namespace fuzz
