// Who takes part: before a run each PE shows its card to the main PE, which tells everybody all.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "rts/fabric/neighbours.hpp"
#include "rts/fabric/net/socket.hpp"
#include "rts/inline/bytes.hpp"

namespace trawl::fabric::net {

/// The most PEs of a run: their cards travel in one frame.
inline constexpr std::size_t most_pes = 1024;

/// What others have to know of a PE.
struct Member {
  Card card{};                  ///< what PEs of its host need
  Endpoint at{};                ///< where PEs of other hosts find it; address 0: with the main PE
  std::int32_t wanted_pe = -1;  ///< the number it would like to have; -1: any

  enum class Is : std::uint32_t { there, gone, to_come };
  Is is = Is::there;
};

/// All of them, by PE, with seats for some who may come later; and which of them is meant.
struct Members {
  std::uint32_t self = 0;
  std::uint32_t admits = 0;  ///< 1: some may come, or could have
  std::vector<Member> all;
};

Bytes write(const Member& member);
/// Throws BadBytes.
Member read_member(std::span<const std::byte> bytes);

Bytes write(const Members& members);
/// Throws BadBytes.
Members read_members(std::span<const std::byte> bytes);

/// In which order those who have come get their numbers, behind the main PE: as they want if all
/// wants can be met; else host by host, as they came.
std::vector<std::size_t> numbering(const Member& main, std::span<const Member> others);

}  // namespace trawl::fabric::net
