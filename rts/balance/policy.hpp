// Where an idle PE fishes, and where a PE without sparks sends the fish of another.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "rts/balance/tables.hpp"
#include "rts/fabric/kinds.hpp"

namespace trawl::balance {

/// The travels of a FISH message: who asks for work, and who had none.
///
///     | thief 4 | patience 8 | age 1 | PE visited 4 | PE visited 4 ... |
struct Fish {
  static constexpr auto kind = fabric::Kind::fish;
  static constexpr std::uint32_t max_age = 10;  ///< visits at most

  int thief = 0;
  Nanos patience = 0;                        ///< how long it may be held where its journey ends
  std::uint32_t age = 0;                     ///< PEs visited so far, at most max_age
  std::array<std::int32_t, max_age> seen{};  ///< the first `age` of these

  std::span<const std::int32_t> visited() const noexcept { return {seen.data(), age}; }
  bool has_visited(int pe) const noexcept;
  /// `pe` has seen this fish and had nothing for it. A fish of full age stays as it is.
  void visit(int pe) noexcept;

  void write(Writer& out) const;
  static Fish read(Reader& in, const fabric::Envelope& envelope);

  friend bool operator==(const Fish&, const Fish&) = default;
};

/// Decides from tables and random bits alone; one object may serve many PEs and threads.
class Policy {
 public:
  virtual ~Policy() = default;

  virtual std::string_view name() const = 0;

  /// The PE to which an idle PE sends its FISH; -1 when nobody else is there.
  virtual int victim(const Tables& tables, std::uint64_t random) const = 0;

  /// Where a PE without sparks sends a fish, once it has marked it with `visit(self)`: the next PE,
  /// or fish.thief when its journey ends here; -1 when the thief is lost and the fish is to be
  /// dropped. So a fish makes at most Fish::max_age visits.
  virtual int forward(const Tables& tables, const Fish& fish, std::uint64_t random) const = 0;

  /// The number of sparks under which this PE fishes, given the flag's.
  virtual unsigned low_watermark(const Tables& tables, unsigned flag) const;
};

/// Throws Error (exit code 2) that names the known policies when `name` is not one.
std::unique_ptr<Policy> make_policy(std::string_view name);
std::vector<std::string_view> policy_names();

std::unique_ptr<Policy> make_random();
std::unique_ptr<Policy> make_targeted();

/// How many sparks a PE that can spare so many gives for one FISH: more than one only where there
/// are many. Of few, as divide and conquer leaves them, the oldest alone may be most of the work.
std::uint32_t sparks_per_schedule(std::uint32_t spare) noexcept;

/// Draws from the random bits a caller passed in: as many numbers as a decision needs (SplitMix64).
class Dice {
 public:
  explicit Dice(std::uint64_t random) noexcept : state_(random) {}

  std::uint64_t bits() noexcept;
  /// A number in [0, bound), for 0 < bound <= 2^32.
  std::uint64_t below(std::uint64_t bound) noexcept { return ((bits() >> 32) * bound) >> 32; }

 private:
  std::uint64_t state_;
};

/// A living PE that `fish` has not visited, neither its thief nor this one; -1: there is none.
int random_unvisited(const Tables& tables, const Fish& fish, Dice& dice);

/// How long a FISH may be held by the PE where it ends in vain, and comes home from empty, in
/// nanoseconds: doubling, with jitter so that PEs that fell idle together do not fish together.
class Backoff {
 public:
  static constexpr Nanos default_min = 20'000;
  static constexpr Nanos default_max = 5'000'000;
  static constexpr Nanos longest = 3'600'000'000'000;  ///< an hour

  /// Throws Error (exit code 2) unless 0 < min <= max <= an hour.
  explicit Backoff(Nanos min = default_min, Nanos max = default_max);

  /// The next delay, in [min, max].
  Nanos next(std::uint64_t random) noexcept;
  /// Work was found.
  void reset() noexcept { base_ = min_; }

 private:
  Nanos min_;
  Nanos max_;
  Nanos base_;
};

}  // namespace trawl::balance
