// Which runs this host has, and what their main PEs show of them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <sys/types.h>

#include "rts/trace/pulse.hpp"

namespace trawl::top {

/// A run whose main PE is a process here, and may be looked at by this user.
struct Run {
  pid_t pid = 0;
  std::string memory;  ///< its file, in /proc
};

/// In the order of their processes.
std::vector<Run> find_runs();

/// The run of a process: its main PE, or what has started that. Throws Error where there is none,
/// or several.
Run run_of(pid_t pid);
/// The only one there is. Throws Error where there is none, or several.
Run only_run();

/// While it lives the run's PEs tell how they are.
class Look {
 public:
  /// Throws Error if it can't be looked at.
  explicit Look(Run run);
  ~Look();
  Look(const Look&) = delete;
  Look& operator=(const Look&) = delete;

  const Run& run() const noexcept { return run_; }
  /// The main PE's process is there.
  bool runs() const noexcept;
  /// What it shows; nothing yet. Throws Error for what is no table.
  std::optional<trace::Table> table() const;

 private:
  Run run_;
  int file_;
};

}  // namespace trawl::top
