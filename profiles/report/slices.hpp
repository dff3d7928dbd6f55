// Threads as a log tells of them: when each ran, where, and what it had waited for.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "profiles/read.hpp"
#include "rts/inline/bytes.hpp"
#include "rts/trace/format.hpp"

namespace trawl::profile {

inline constexpr std::uint32_t unknown = ~std::uint32_t{0};
inline constexpr std::uint32_t root_code = unknown - 1;  ///< the program's first thread has none
inline constexpr const char* root_name = "the root";

/// Why a thread could run.
enum class Cause : std::uint8_t {
  lost,        ///< its log does not say: events are lost
  root,        ///< it is the program's first
  own_spark,   ///< its spark was in a pool of its PE
  imported,    ///< its spark came from another PE
  woken_here,  ///< a thread of its PE evaluated what it waited for
  resume,      ///< what it waited for came from another PE
  outside,     ///< a call outside of the run (trawl::blocking) had ended
};

/// A thread of the PE, of which another had its spark, or the value that it waited for.
struct Source {
  std::uint32_t thread = unknown;
  std::uint32_t code = unknown;
};

/// A thread ran without a break, but for collections.
struct Slice {
  Nanos length() const { return end - begin; }

  Nanos begin = 0, end = 0;
  Nanos ready = 0;            ///< since when it could have run, as far as that is known
  Nanos blocked = 0;          ///< since when it had been blocked; `ready` if it was not
  Nanos ran = 0;              ///< all that its thread has run when it is over, this one included
  std::uint64_t message = 0;  ///< that brought its spark, or what it waited for; 0: none
  std::uint32_t thread = 0;
  std::uint32_t code = unknown;
  std::uint32_t pe = unknown;          ///< that its spark, or what it waited for, came from
  Source source{};                     ///< the thread that made its spark, or woke it
  std::uint32_t waited_for = unknown;  ///< the code of what it had waited for
  std::uint32_t waits_for = unknown;   ///< and of what it waits for next, if it blocks
  std::uint32_t made = 0;              ///< sparks
  std::uint8_t worker = 0;
  Cause cause = Cause::lost;
  bool imported = false;
  bool blocks = false;           ///< it ended as the thread blocked
  bool waits_elsewhere = false;  ///< for what comes from another PE
  bool finishes = false;  ///< it ended as the thread did; neither: lost events, or the log's end
};

/// Follows one PE through its events, and says each slice when it is over.
class Threads {
 public:
  using See = std::function<void(const Slice&)>;

  /// What is idle is counted between `from` and `to`; slices are not cut.
  Threads(const trace::Header& header, Nanos from, Nanos to, See see)
      : pe_(header.pe),
        from_(from),
        to_(to),
        see_(std::move(see)),
        left_(static_cast<std::size_t>(header.workers), never) {}

  void see(const trace::Event& event);
  /// The log says no more.
  void finish(Nanos last);

  /// Who made the spark that lay at a place (as an event has it), if that is known.
  Source maker(std::uint32_t packed_place) const;
  /// For how long workers had nothing to run, in ns, summed: as they noted, and before their first
  /// event and after their last.
  Nanos idle() const { return idle_; }

 private:
  static constexpr Nanos never = -trace::max_time;

  struct Came {
    Nanos time;
    std::uint32_t from;
    std::uint64_t message;
  };
  /// A slice, and at which place of its worker's pool its first spark was to lie.
  struct Began {
    std::uint32_t place;
    Source thread;
  };

  void convert(const trace::Event& event);
  void resume(const trace::Event& event);
  void begin(const trace::Event& event);
  void block(const trace::Event& event);
  void end(const trace::Event& event);
  void leave(unsigned worker, Nanos time);
  std::uint32_t code_of(std::uint32_t thread) const;
  bool is_first(const trace::Event& event);  // of its worker
  void end_idle(unsigned worker, Nanos time);
  void add_idle(Nanos since, Nanos until);

  int pe_;
  Nanos from_, to_;
  See see_;
  std::unordered_map<std::uint32_t, Slice> threads_;  // as they are to run next, by their number
  std::map<unsigned, Slice> running_;                 // by worker
  std::map<unsigned, std::vector<Began>> began_;      // by worker, at ever higher places
  std::map<unsigned, Nanos> idle_since_;              // by worker
  std::vector<Nanos> left_;                           // by worker: since when it does neither
  std::unordered_map<std::uint32_t, Came>
      imports_;                      // sparks that no thread has begun with, by name
  std::optional<Came> brought_;      // by the last message that can have woken a thread
  std::uint64_t last_received_ = 0;  // message
  Nanos idle_ = 0;
};

}  // namespace trawl::profile
