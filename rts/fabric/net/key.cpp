#include "rts/fabric/net/key.hpp"

#include <sodium.h>

#include "rts/inline/error.hpp"

namespace trawl::fabric::net {

void fill_with_random(std::span<std::uint8_t> bytes) {
  if (sodium_init() < 0) throw Error("libsodium can't be used here: it gets no random numbers");
  randombytes_buf(bytes.data(), bytes.size());
}

Key make_key() {
  Key key;
  fill_with_random(key.bytes);
  return key;
}

Key read_key(std::string_view text) {
  Key key;
  if (text.empty()) return key;
  std::size_t count = 0;
  const char* end = nullptr;
  const bool read = sodium_hex2bin(key.bytes.data(), key.bytes.size(), text.data(), text.size(),
                                   nullptr, &count, &end) == 0;
  if (!read || count != key.bytes.size() || end != text.data() + text.size())
    throw Error("the run's key (TRAWL_KEY, or --trawl:key) is not 64 hexadecimal digits", 2);
  return key;
}

std::string text_of(const Key& key) {
  std::array<char, 2 * sizeof key.bytes + 1> text{};
  sodium_bin2hex(text.data(), text.size(), key.bytes.data(), key.bytes.size());
  return text.data();
}

}  // namespace trawl::fabric::net
