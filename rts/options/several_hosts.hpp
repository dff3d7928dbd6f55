// What trawl-run tells of where PEs are, and what is otherwise then.
#pragma once

namespace trawl {

/// In the environment, by trawl-run: PEs may be on several hosts. There a network may be cut; on
/// one a PE is silent when it gets no core, and that it has ended others see at once.
inline constexpr const char* several_hosts = "TRAWL_SEVERAL_HOSTS";
inline constexpr double silence_between_hosts = 3;

}  // namespace trawl
