// Reading the event logs of a run. Nothing a file may hold is undefined behaviour: what is damaged
// is listed, what is readable is read.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "rts/inline/bytes.hpp"
#include "rts/trace/format.hpp"

namespace trawl::profile {

/// One thing that is wrong with one file.
struct Damage {
  std::string file;
  std::optional<std::uint64_t> at;  ///< byte, if it is one place
  std::string what;
};

/// "FILE: byte N: what"
std::string to_string(const Damage& damage);

/// The log of one PE.
struct LogFile {
  std::string path;
  trace::Header header;
  Nanos last = 0;            ///< the run's time up to which this log tells what happened
  std::uint64_t events = 0;  ///< readable ones
  bool complete = false;     ///< false: what came after `last` is not known
};

/// All logs of a directory.
struct Run {
  std::vector<LogFile> logs;  ///< by PE number
  std::vector<Damage> damage;
  Nanos end = 0;                   ///< the latest `last`
  std::vector<std::string> codes;  ///< names by id; empty if the run left none
  std::vector<bool> placed;        ///< are its thunks pieces of skeletons? As many
};

/// "code 12" if the run left no names.
std::string name_of_code(const Run& run, std::uint32_t code);

/// Finds and checks the logs in `dir`. Throws Error (exit code 2) when there is no such directory,
/// no log in it, or none that can be read at all.
Run open_run(const std::string& dir);

/// Called with every readable event, in the order of time, which is already the run's time.
using Sink = std::function<void(const trace::Event&)>;

/// Reads the events of one log; false if its end is damaged or cut off. Lists what is wrong in
/// `damage` unless that is null. Throws Error when the file has become unreadable.
bool replay(const LogFile& log, const Sink& sink, std::vector<Damage>* damage);

}  // namespace trawl::profile
