#include "rts/fabric/message.hpp"

#include <array>

namespace trawl::fabric {
namespace {

constexpr std::array<std::string_view, kinds> names{
    "FISH", "SCHEDULE", "FETCH", "RESUME", "ACK",    "FREE", "WORK_AVAILABLE", "HELLO", "WELCOME",
    "PING", "PONG",     "PROBE", "STATE",  "FINISH", "BYE",  "LEAVE",          "FAIL"};

}  // namespace

std::string_view name_of(Kind kind) {
  return names[static_cast<std::size_t>(kind)];
}

}  // namespace trawl::fabric
