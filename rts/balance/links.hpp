// What the links between clusters carry: guessed from how long messages take, and told by others.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "rts/balance/heard.hpp"
#include "rts/balance/roster.hpp"

namespace trawl::balance {

/// What a link carries, at least: long messages have shown it. `measured` < 0: unknown.
struct Bandwidth {
  static constexpr std::int64_t most = 1'000'000'000'000;

  std::int64_t bytes_a_second = 0;  ///< of a known one 1 to `most`
  Nanos measured = -1;

  Nanos when() const noexcept { return measured; }
  /// For so long it is busy with so many bytes; unknown: 0.
  Nanos carrying(std::size_t bytes) const noexcept;
};

/// From one cluster to another.
struct Link {
  std::uint32_t from = 0;
  std::uint32_t to = 0;
  Bandwidth bandwidth{};

  Nanos when() const noexcept { return bandwidth.measured; }
};

/// The bandwidths that one PE knows of. All costs O(1).
class Links {
 public:
  /// So many links are kept, and so many clusters' fastest messages.
  static constexpr std::size_t max_links = 64;
  static constexpr std::size_t max_fastest = 256;

  void set_own_cluster(std::uint32_t cluster) noexcept { own_ = cluster; }

  /// A message of so many bytes from another cluster took so long until `arrived`.
  void note_transfer(std::uint32_t from, std::size_t bytes, Nanos took, Nanos arrived);
  /// As measured here or told by others. The greatest of about a minute counts, as others may
  /// have been on the link too, and a factor of two is not told apart.
  void note(const Link& row);

  /// The link from there, if it has been measured here and nobody there has been told yet.
  std::optional<Link> news_for(std::uint32_t cluster) noexcept;

  /// Between two different clusters, of both directions the lesser, as far as they are known.
  Bandwidth between(std::uint32_t one, std::uint32_t other) const noexcept;
  /// About the greatest between our cluster and another, in bytes a second; 0: none is known.
  std::int64_t best() const noexcept { return widest_; }

  /// All that is known, to be told to others.
  const Heard<Link, max_links>::Entries& rows() const noexcept { return rows_.entries(); }

 private:
  /// Of a cluster's messages to us.
  struct Fastest {
    std::size_t bytes = 0;
    Nanos took = 0;
    Nanos arrived = 0;
    Nanos restless = 0;    // by so much a message that is no longer came later, of late the latest
    Nanos busy_until = 0;  // a long one came then: what was sent before has waited for it
    bool is_told = true;   // somebody there knows what was measured here first

    Nanos when() const noexcept { return arrived; }
  };

  /// What came from another cluster has shown its link to carry so much.
  void note_measured(std::uint32_t from, std::int64_t rate, Nanos measured, Fastest& heard);

  std::uint32_t own_ = 0;
  Heard<Link, max_links> rows_;          // by both, in their order
  Heard<Fastest, max_fastest> fastest_;  // by cluster
  std::uint64_t widest_link_ = 0;        // which link's widest_ is
  std::int64_t widest_ = 0;              // nothing is known
};

}  // namespace trawl::balance
