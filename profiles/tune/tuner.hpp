// One recording on one grid: what is advised, and how coarse sparks should be.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "profiles/replay/graph.hpp"
#include "profiles/tune/grain.hpp"
#include "profiles/tune/levels.hpp"
#include "profiles/tune/replays.hpp"
#include "profiles/tune/search.hpp"
#include "rts/fabric/grid_file.hpp"

namespace tune {

/// Coarser sparks, and what they would gain on top of the advised flags.
struct Coarser {
  std::string cut_off = "0us", chunk = "1";
  Interval gain{};
  Space space;
  std::vector<Effect> effects;

  bool better() const { return gain.low > 0; }
};

class Tuner {
 public:
  /// `grid` is a file; `words` are given to each replay: the recording first.
  Tuner(const Replays& replays, std::string grid, Words words);

  const std::string& grid() const { return grid_; }
  int pes() const { return pes_; }
  int workers() const { return workers_; }  ///< of all PEs
  /// Flags, and how many PEs a host has if that is to be chosen.
  const Space& space() const { return space_; }
  /// Of the space without PEs a host, too: they are as described then.
  /// `bytes`: so many times what is recorded.
  std::vector<double> measure(const Space& space, std::span<const Trial> trials, double bytes = 1);

  /// The first run that failed by other words than the default's, and why; empty: none did.
  const std::string& trouble() const { return trouble_; }

  /// A far spark's costs, by runs of two PEs of this grid.
  SparkCosts costs(SparkCosts local) const;
  Coarser coarser(const replay::Graph& graph, const Setting& advised, Plan plan,
                  const std::function<void(const std::string&)>& say);

 private:
  Words words(const Space& space, const Trial& trial, double bytes) const;
  double take_scale(const std::string& name);
  std::vector<double> run(const std::vector<Words>& runs, const std::vector<bool>& as_usual);

  const Replays& replays_;
  std::string grid_;
  Words words_;
  trawl::fabric::GridFile described_;
  std::string trouble_;
  double scale_work_ = 1, scale_bytes_ = 1;
  int pes_ = 0, workers_ = 0;
  Space space_;
  std::vector<Layout> layouts_;
  std::vector<std::string> layout_files_;
  Scratch scratch_;
  double limit_;
};

}  // namespace tune
