#include "rts/balance/gauge.hpp"

#include <vector>

namespace trawl::balance {

void Gauge::write(Writer& out) const {
  out.put(static_cast<std::uint8_t>(answers));
  out.put(bytes);
  const std::vector<std::byte> nothing(bytes);
  out.raw(nothing.data(), nothing.size());
}

Gauge Gauge::read(Reader& in, const fabric::Envelope&) {
  Gauge gauge;
  const auto answers = in.get<std::uint8_t>();
  if (answers > 1) throw BadBytes("a gauge that neither asks nor answers");
  gauge.answers = answers == 1;
  gauge.bytes = in.get<std::uint16_t>();
  for (const auto byte : in.slice(gauge.bytes))
    if (byte != std::byte{0}) throw BadBytes("a gauge that says something");
  in.end();
  return gauge;
}

}  // namespace trawl::balance
