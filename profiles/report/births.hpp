// Who made the sparks that left: PEs that begin with them do not know.
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <utility>

#include "profiles/message_name.hpp"
#include "profiles/report/slices.hpp"
#include "rts/fabric/kinds.hpp"
#include "rts/trace/format.hpp"

namespace trawl::profile {

/// Keeps the sources of sparks by the message that took them away; of very many only the first.
class Births {
 public:
  static constexpr std::size_t most = std::size_t{1} << 20U;

  void see(int pe, const trace::Event& event, const Threads& threads) {
    if (event.kind == trace::Kind::message_sent &&
        event.extra == static_cast<std::uint16_t>(fabric::Kind::schedule))
      sent_ = message_name(pe, event);
    if (event.kind != trace::Kind::spark_export || by_message_.size() >= most) return;
    const auto message = std::exchange(sent_, 0);
    if (message != 0) by_message_.emplace(message, threads.maker(event.size));
  }

  /// The maker of the spark that a message took away, on the PE that sent it; when all logs have
  /// been read. Unknown, too, where it was made elsewhere.
  Source of(std::uint64_t message) const {
    const auto found = by_message_.find(message);
    return found == by_message_.end() ? Source{} : found->second;
  }

 private:
  std::unordered_map<std::uint64_t, Source> by_message_;
  std::uint64_t sent_ = 0;  // message
};

}  // namespace trawl::profile
