// A program's own policy: where PEs without work look for some, decided by a class of the program.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>

namespace trawl {

namespace balance {
class Tables;
}  // namespace balance

/// What a PE knows when it decides. PEs have numbers from 0, the main PE; those that are asked
/// about have to be in [0, size()). It is good for the call that it is given to.
class PolicyView {
 public:
  explicit PolicyView(const balance::Tables& tables) noexcept : tables_(tables) {}

  int self() const noexcept;
  int size() const noexcept;
  /// The living PEs but this one; those of them that are not in its cluster; in no order. They stay
  /// the same as long as nobody dies.
  std::span<const int> others() const noexcept;
  std::span<const int> far() const noexcept;
  /// The living PEs in the cluster of `pe`, in no order.
  std::span<const int> cluster_of(int pe) const noexcept;
  bool alive(int pe) const noexcept;
  /// Speed x workers, relative to other PEs; less while others use its cores, as it told last.
  double strength(int pe) const noexcept;

  /// What was last heard of it: zeros if nothing was. Nothing is ever heard of oneself.
  struct Load {
    unsigned sparks = 0;
    unsigned runnable = 0;  ///< threads
    std::int64_t age = -1;  ///< nanoseconds since then; < 0: nothing was heard
  };
  Load load(int pe) const noexcept;
  /// One way, in nanoseconds; < 0: unknown.
  std::int64_t latency(int pe) const noexcept;
  /// What the last FISH of this PE to that cluster took until its answer came; < 0: there was none,
  /// or it is its own.
  std::int64_t last_steal(int pe) const noexcept;

 private:
  const balance::Tables& tables_;
};

/// Derive from it, and register it by a PolicyRegistration. Each PE has an object of its own; it is
/// never called twice at a time, but from whichever OS thread: no thread_local, and nothing of
/// Trawl (lazy, par, force, spawn) in it. It decides in microseconds.
class Policy {
 public:
  virtual ~Policy() = default;

  /// This PE is idle (or under its low-watermark): whom does it ask? One of others(), or -1:
  /// nobody, for now. `random`: 64 random bits.
  virtual int victim(const PolicyView& view, std::uint64_t random) = 0;

  /// There is nothing here for `thief`: who is asked next? `thief`: nobody, the FISH goes home. So
  /// it does after ten PEs, and if it has already been where it is sent.
  virtual int forward(const PolicyView& view, int thief, std::uint64_t random);

  /// How many of the `spare` sparks that are here does a FISH of `thief` get? At least 1.
  virtual unsigned sparks(const PolicyView& view, int thief, unsigned spare);
};

/// static const trawl::PolicyRegistration mine("mine", [] { return std::make_unique<Mine>(); });
///
/// at namespace scope makes it known to --trawl:policy=mine.
class PolicyRegistration {
 public:
  using Make = std::function<std::unique_ptr<Policy>()>;
  PolicyRegistration(std::string name, Make make);
};

}  // namespace trawl
