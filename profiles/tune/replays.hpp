// Runs of trawl-replay, as many at once as there are cores.
#pragma once

#include <limits>
#include <string>
#include <vector>

namespace tune {

using Words = std::vector<std::string>;

/// What became of one.
struct Outcome {
  double seconds = 0;    ///< virtual ones; infinite: it was given up
  double processor = 0;  ///< seconds of this host
  std::string trouble;   ///< its last line, if it failed
};

/// A limit that is none.
inline constexpr double for_ever = std::numeric_limits<double>::infinity();

class Replays {
 public:
  /// `program` is trawl-replay's file.
  Replays(std::string program, int jobs) : program_(std::move(program)), jobs_(jobs) {}

  /// Each with these words behind the program; outcomes in their order. Who takes more of this
  /// host's processor than `limit` seconds is given up. Throws Error if it can't be started,
  /// or if this process is told to stop.
  std::vector<Outcome> run(const std::vector<Words>& runs, double limit) const;

  /// So many so far.
  long started() const { return started_; }

 private:
  Outcome run_one(const Words& words, double limit) const;

  std::string program_;
  int jobs_;
  mutable long started_ = 0;
};

/// A folder for files that are needed for a while.
class Scratch {
 public:
  Scratch();
  ~Scratch();
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  std::string file(const std::string& name) const { return folder_ + "/" + name; }
  /// Its name.
  std::string write(const std::string& name, const std::string& text) const;

 private:
  std::string folder_;
};

}  // namespace tune
