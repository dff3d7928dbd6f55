// What became of the sparks of each function.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "profiles/report/sites.hpp"
#include "profiles/report/slices.hpp"
#include "rts/inline/bytes.hpp"
#include "rts/trace/format.hpp"

namespace trawl::profile {

/// A thread's length on one PE, as logarithms: means of those can be compared between PEs however
/// much lengths vary.
struct Lengths {
  static constexpr double columns = 8;  ///< of an octave

  std::uint64_t number = 0;
  double sum = 0, squares = 0;
  std::map<int, std::uint64_t> spread;  ///< how many there are, by columns

  void add(double length);
  /// Those of another PE, each as long as it would be with `log_speed`.
  void add(const Lengths& others, double log_speed);
  double mean() const { return number == 0 ? 0 : sum / static_cast<double>(number); }
  /// Of the mean.
  double standard_error() const;
  /// That of the threads of which such a share is shorter, about.
  double quantile(double share) const;
};

/// One function; times are in ns.
struct FunctionAudit {
  std::uint32_t code = unknown;
  std::string name;
  std::string called;      ///< in short
  bool is_placed = false;  ///< its sparks are pieces of skeletons, and run where these want them
  // Of the whole run, whatever is looked at of it:
  double calls = 0;         ///< its sparks that spawn made, about
  double sparks = 0;        ///< ... that par and strategies made, and skeletons placed, about
  std::uint64_t begun = 0;  ///< that became threads
  std::uint64_t again = 0;  ///< that were run once more, as who had them was slow
  bool sampled = false;     ///< some were looked at when they were made; else only `begun` is known
  // Of the window:
  std::uint64_t converted = 0;    ///< its sparks that became threads on the PE that had them
  std::uint64_t imported = 0;     ///< the same, of sparks that had come from another PE
  std::uint64_t exported = 0;     ///< its sparks that left a PE; one that goes on counts again
  std::uint64_t ran_threads = 0;  ///< its threads that ran
  double ran = 0;                 ///< by all of these
  Nanos longest = 0;              ///< that one of them ran
  int longest_pe = 0;
  std::uint64_t blocks = 0;  ///< that began, or went on when the window began
  double blocked = 0;        ///< in which its threads were blocked
  double blocked_afar = 0;   ///< of it, until a value came from another PE
  Nanos longest_block = 0;
  double awaited = 0;            ///< in which threads, of any function, were blocked for its values
  double queued = 0;             ///< in which they could have run, and no worker was free
  std::uint64_t made = 0;        ///< sparks, by its threads
  std::uint64_t bytes_out = 0;   ///< of messages that took its sparks away
  std::uint64_t bytes_home = 0;  ///< of messages with its values, or thunks, that were asked for
  std::map<int, Lengths> by_pe;
  std::map<int, double> ran_on;  ///< as `ran`, by PE
  std::vector<Line> sites;       ///< where its sparks are made, so far as that has been seen

  std::uint64_t threads() const { return converted + imported; }
  /// Of its sparks, about: calls that were made by who had spawned them; thunks that were evaluated
  /// by who needed them, or that nobody needed, before their turn. Where both are made, threads are
  /// taken to be of each in proportion.
  double subsumed() const { return calls * in_place(); }
  double fizzled() const { return sparks * in_place(); }
  double sparks_made() const { return calls + sparks; }
  bool made_is_known() const { return sampled || begun == 0; }
  /// How many of them have been threads, one that was run again once.
  double begun_once() const {
    return static_cast<double>(begun) - static_cast<double>(std::min(begun, again));
  }
  double mean() const { return ran_threads == 0 ? 0 : ran / static_cast<double>(ran_threads); }

 private:
  double in_place() const;  // of 1
};

/// Sums up a run between two of its times: PE after PE, slices and events in the log's order.
class Audit {
 public:
  Audit(Nanos from, Nanos to) : from_(from), to_(to) {}

  /// Of all times.
  void see(const trace::Event& event);
  void see(int pe, const Slice& slice);

  /// Sparks of the whole run that found no room.
  std::uint64_t ignored() const noexcept { return ignored_; }
  /// The functions, those first whose threads ran longest; names are the run's.
  std::vector<FunctionAudit> result(const Run& run) const;

 private:
  FunctionAudit& at(std::uint32_t code);
  void see_at_any_time(const trace::Event& event);
  void see_blocked(const Slice& slice, FunctionAudit& function);
  void see_running(int pe, const Slice& slice, FunctionAudit& function);
  Nanos within(Nanos since, Nanos until) const;  // the window

  Nanos from_, to_;
  std::map<std::uint32_t, FunctionAudit> functions_;
  std::uint64_t ignored_ = 0;
  trace::Event last_schedule_{};  // that the PE sent, until a spark is said to have been in it
  int pe_ = -1;                   // whose slices are seen
  std::unordered_map<std::uint32_t, Nanos> ran_;  // in the window, by its threads that go on
};

}  // namespace trawl::profile
