// What crs, cmrs and acrs have in common.
#pragma once

#include "rts/balance/choices.hpp"

namespace trawl::balance {

/// Cluster-aware random stealing: far FISH under way asynchronously, while the PE goes on with
/// synchronous ones in its own cluster.
class ClusterAware : public Policy {
 public:
  Means means() const override { return {.at_once = true}; }
  Decision next(const Tables& tables, const Situation& pe, std::uint64_t random) const final;
  int forward(const Tables& tables, const Fish& fish, std::uint64_t random) const final;

 protected:
  /// So often somebody is drawn before those that do are counted.
  static constexpr int draws = 64;

  /// A PE outside of the own cluster, -1: no more now. Some are there.
  virtual int far_victim(const Tables& tables, const Situation& pe, Dice& dice) const = 0;
};

}  // namespace trawl::balance
