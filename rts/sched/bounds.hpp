// Numbers that PEs share, and that only ever become less.
#pragma once

#include <cstdint>
#include <functional>
#include <utility>

#include <boost/unordered/unordered_flat_map.hpp>

#include "rts/fabric/message.hpp"
#include "rts/host/brief_mutex.hpp"
#include "rts/inline/bounds.hpp"
#include "rts/sched/messages.hpp"

namespace trawl::sched {

/// Each PE has the least that it has heard of. News goes from who has found it to all others along
/// a tree, each of whose PEs tells a few: so who finds something sends few messages, and the last
/// hears of it after a logarithmic number. What is no news where it comes goes no further: what was
/// less is on its way to all. (Of two who find the same, that of the lower PE counts as less: each
/// would stop the other's news.) A bound stays known until the end of the run.
class Bounds {
 public:
  Bounds(int self, int pes, bool some_may_come, std::function<bool(int)> is_gone,
         fabric::Outbox& outbox)
      : self_(self),
        pes_(pes),
        some_may_come_(some_may_come),
        is_gone_(std::move(is_gone)),
        outbox_(outbox) {}

  SharedName make();
  std::uint64_t least(const SharedName& bound) const;
  /// False: it is no news. With the PE's lock held, as is `on_found`.
  bool found(const SharedName& bound, std::uint64_t number);
  void on_found(const Found& message);
  /// All that is known, for one who has come.
  void tell(int pe);

 private:
  struct Least {
    std::uint64_t number = nothing_found;
    std::uint32_t finder = 0;

    friend bool operator<(const Least& a, const Least& b) noexcept {
      return a.number != b.number ? a.number < b.number : a.finder < b.finder;
    }
  };

  bool note(const Found& message);
  void tell_others(const Found& message);

  int self_;
  int pes_;
  bool some_may_come_;
  std::function<bool(int)> is_gone_;
  fabric::Outbox& outbox_;
  mutable BriefMutex lock_;
  boost::unordered_flat_map<std::uint64_t, Least> least_;
  std::uint32_t made_ = 0;
};

}  // namespace trawl::sched
