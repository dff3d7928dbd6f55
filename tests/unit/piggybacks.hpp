// For tests of tables: what one PE's message tells another.
#pragma once

#include <cstddef>
#include <span>

#include "rts/balance/tables.hpp"

namespace trawl::balance {

inline constexpr int somebody = -1;  // none of those there are

inline Bytes piggyback(Tables& tables, Nanos now, const Load& own, int to = somebody) {
  Writer out;
  tables.write_piggyback(out, now, own, to);
  return out.take();
}

inline Load read(Tables& tables, std::span<const std::byte> bytes, int from, Nanos now) {
  Reader in(bytes);
  return tables.read_piggyback(in, from, now);
}

}  // namespace trawl::balance
