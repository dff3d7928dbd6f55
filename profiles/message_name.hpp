// A message is noted where it was sent and where it arrived: how both notes are found.
#pragma once

#include <bit>
#include <cstdint>

#include "rts/trace/format.hpp"

namespace trawl::profile {

/// Of a message_sent or a message_received in the log of `pe`: the same number at both ends.
inline std::uint64_t message_name(int pe, const trace::Event& message) {
  const bool sent = message.kind == trace::Kind::message_sent;
  const auto here = static_cast<std::uint32_t>(pe);
  const std::uint64_t from = sent ? here : message.value;
  const std::uint64_t to = sent ? message.value : here;
  const std::uint64_t which = std::uint64_t{message.id} << 32U |
                              std::uint64_t{message.extra} << 8U |
                              static_cast<unsigned>(std::bit_width(message.size));
  return ((from << 32U | to) * trace::checksum_factor ^ which) * 0xBF58'476D'1CE4'E5B9U;
}

}  // namespace trawl::profile
