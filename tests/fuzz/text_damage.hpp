// Damage to files: bytes, numbers and lines of them changed, lost, doubled, of another file.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace fuzz {

/// The same for the same seed everywhere.
class Damage {
 public:
  explicit Damage(std::uint64_t seed) : random_(seed) {}

  std::string damaged(const std::vector<std::string>& samples) {
    std::string text = one_of(samples);
    for (auto times = 1 + below(2) * below(3); times > 0; --times) damage(text, one_of(samples));
    return text;
  }

 private:
  std::size_t below(std::size_t n) { return static_cast<std::size_t>(random_() % n); }
  std::size_t place_in(const std::string& text) { return below(text.size() + 1); }
  template <class List>
  const typename List::value_type& one_of(const List& list) {
    return list[below(list.size())];
  }

  void damage(std::string& text, const std::string& other) {
    const auto at = place_in(text);
    switch (below(8)) {
      case 0:
        if (at < text.size()) text[at] = static_cast<char>(text[at] ^ (1 << below(8)));
        break;
      case 1: {
        using namespace std::string_view_literals;
        text.insert(at, 1, one_of("\0\n\r\t ,:/#%+-.e09\x1b\x7f\xff"sv));
        break;
      }
      case 2:
        text.resize(at);
        break;
      case 3: {  // lines, once more
        const std::string lines = lines_of(text);
        text.insert(line_at(text, at), lines);
        break;
      }
      case 4:
        text.insert(line_at(text, at), lines_of(other));
        break;
      case 5:
        text = text.substr(0, at) + other.substr(place_in(other));
        break;
      case 6:
        overwrite(text, at);
        break;
      default:
        replace_number(text, at);
    }
  }

  static std::size_t line_at(const std::string& text, std::size_t at) {
    const auto end = at == 0 ? text.npos : text.rfind('\n', at - 1);
    return end == text.npos ? 0 : end + 1;
  }

  std::string lines_of(const std::string& text) {
    const auto begin = line_at(text, place_in(text));
    auto end = begin;
    for (auto count = 1 + below(4); count > 0 && end < text.size(); --count)
      end = std::min(text.find('\n', end), text.size() - 1) + 1;
    return text.substr(begin, end - begin);
  }

  void replace_number(std::string& text, std::size_t at) {
    constexpr std::string_view digits = "+-.e0123456789";
    const auto begin = text.find_first_of(digits, at);
    if (begin == text.npos) return;
    const auto end = std::min(text.find_first_not_of(digits, begin), text.size());
    static const std::vector<std::string> plain{"0", "1", "-1", "2", "3", "4", "5", "1.5", "1e-20"};
    static const std::vector<std::string> extreme{"-0",
                                                  "200",
                                                  "201",
                                                  "20000",
                                                  "20001",
                                                  "32768",
                                                  "1e6",
                                                  "-1e6",
                                                  "7e6",
                                                  "1e50",
                                                  "-1e50",
                                                  "1.1e50",
                                                  "1e308",
                                                  "1e309",
                                                  "1e-4",
                                                  "1e-6",
                                                  "-3e-23",
                                                  "1e-45",
                                                  "5e-324",
                                                  "nan",
                                                  "-nan",
                                                  "inf",
                                                  "-inf",
                                                  "2147483647",
                                                  "2147483648",
                                                  "-2147483648",
                                                  "4294967296",
                                                  "2251799813685247",
                                                  "9223372036854775807",
                                                  "18446744073709551615",
                                                  "18446744073709551616",
                                                  "0x10",
                                                  "+-1",
                                                  ".",
                                                  "1e",
                                                  std::string(400, '9'),
                                                  std::string(10001, '9'),
                                                  "1" + std::string(9999, '0')};
    text.replace(begin, end - begin, one_of(below(2) == 0 ? plain : extreme));
  }

  /// What binary numbers become.
  void overwrite(std::string& text, std::size_t at) {
    constexpr std::array<std::uint32_t, 14> words{
        0,          1,          2,          3,          4,          0x7fffffff, 0x80000000,
        0xffffffff, 0x7f800000, 0x7fc00000, 0x7ff00000, 0x00000001, 0x10000000, 0x20000000};
    std::array<char, 4> bytes{};
    std::memcpy(bytes.data(), &one_of(words), bytes.size());
    if (below(2) == 0) std::reverse(bytes.begin(), bytes.end());
    text.replace(at / 4 * 4, bytes.size(), bytes.data(), bytes.size());
  }

  std::mt19937_64 random_;
};

}  // namespace fuzz
