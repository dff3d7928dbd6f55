// For tests of tables: what one PE's message tells another.
#pragma once

#include <cstddef>
#include <span>

#include "rts/balance/tables.hpp"

namespace trawl::balance {

inline Bytes piggyback(Tables& tables, Nanos now, const Load& own, int to) {
  Writer out;
  tables.write_piggyback(out, now, own, to);
  return out.take();
}

/// With what anybody may be told.
inline Bytes piggyback(Tables& tables, Nanos now, const Load& own) {
  return piggyback(tables, now, own, tables.self());
}

inline Load read(Tables& tables, std::span<const std::byte> bytes, int from, Nanos now) {
  Reader in(bytes);
  return tables.read_piggyback(in, from, now);
}

}  // namespace trawl::balance
