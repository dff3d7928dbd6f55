// galaxy: stars round a black hole, on nodes of unequal speed (Zou and Lam's heterogeneous
// distributed Barnes-Hut): each node has all places, builds the whole tree, and moves its share of
// the stars. What is computed is in the other files; here is what of it is done where.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iostream>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <trawl/dist.hpp>
#include <trawl/trawl.hpp>

#include "programs/common/command.hpp"
#include "programs/common/run_clock.hpp"
#include "programs/galaxy/forces.hpp"
#include "programs/galaxy/frames.hpp"
#include "programs/galaxy/report.hpp"
#include "programs/galaxy/run.hpp"

namespace {

using namespace galaxy;

// Who balances how is what is compared: all PEs take part.
constexpr auto everywhere = trawl::Spread::everywhere;

Box box_of(const std::vector<Star>& stars) {
  Box box;
  for (const auto& s : stars) box.add(s.at);
  return box;
}
Box joined(Box a, const Box& b) {
  a.add(b.low);
  a.add(b.high);
  return a;
}
std::uint32_t one(const Star&) {
  return 1;
}
std::uint32_t plus(std::uint32_t a, std::uint32_t b) {
  return a + b;
}
Star with_index(Star s, std::uint32_t up_to_it) {
  s.index = up_to_it - 1;
  return s;
}
Place place_of(const Star& s) {
  return s.at;
}
float mass_of(const Star& s) {
  return s.mass;
}

// ---- what things take when work is declared: ns of a core of the README's machine

constexpr double tree_cost = 40;      // a star, in the tree
constexpr double quad_cost = 40;      // looked at
constexpr double pair_cost = 0.27;    // a pull
constexpr double sorting_cost = 150;  // a star, sorted among others

void declare(double nanoseconds) {
  trawl::work(std::llround(nanoseconds));
}

struct Built {
  Tree tree;
  double seconds = 0;
};
Built built(const std::vector<Place>& places, const std::vector<float>& masses, double theta,
            bool declared) {
  const auto begun = trawl::now();
  Built result{build_tree(places, masses, theta), 0};
  if (declared) declare(tree_cost * static_cast<double>(places.size()));
  result.seconds = programs::seconds_since(begun);
  return result;
}
double seconds_of(const Built& built) {
  return built.seconds;
}
std::vector<Star> moved_by(const std::vector<Star>& stars, const Built& built, bool declared) {
  Effort effort;
  auto next = moved(stars, built.tree, effort);
  if (declared)
    declare(quad_cost * static_cast<double>(effort.quads) +
            pair_cost * static_cast<double>(effort.pairs));
  return next;
}

std::vector<Star> with_keys(const std::vector<Star>& stars, const Box& box, bool declared) {
  const Square square(box);
  auto keyed = stars;
  for (auto& s : keyed) s.key = key(s.at, square);
  if (declared) declare(sorting_cost * static_cast<double>(stars.size()));
  return keyed;
}

// ---- in parallel -------------------------------------------------------------------------------

using Stars = trawl::Dist<Star>;

/// Along the curve. Shards are cut where they have as many stars, or as much work.
Stars sorted(const Stars& stars, bool by_work, bool declared) {
  const auto box = trawl::reduce<box_of, joined>(stars);
  const auto keyed = trawl::map_shards<with_keys>(stars, box, declared);
  const auto in_order = by_work ? trawl::sort<&Star::key>(keyed, trawl::by<&Star::work>)
                                : trawl::sort<&Star::key>(keyed);
  return trawl::map<with_index>(in_order,
                                trawl::scan<plus>(trawl::map<one>(in_order), std::uint32_t{0}));
}

/// The report's first way: one node collects all, and each other one gets all from there.
template <class T>
trawl::Everywhere<std::vector<T>> by_one(const trawl::Dist<T>& d) {
  return trawl::broadcast(trawl::Lazy<std::vector<T>>(trawl::collect(d)));
}

class Galaxy {
 public:
  explicit Galaxy(const Run& run) : run_(run), stars_(trawl::generate<star>(run.stars, run.seed)) {}

  std::vector<Star> run() {
    stars_.size();  // all there
    const auto begun = trawl::now();
    if (run_.batch == 0) masses_ = trawl::all_gather(trawl::map<mass_of>(stars_));
    for (std::size_t step = 0; step < run_.steps; ++step) {
      draw(step);
      if (run_.sorts_before(step)) begin_batch(step);
      advance();
    }
    stars_.size();
    if (run_.report) report_.end(programs::seconds_since(begun));
    draw(run_.steps);
    auto all = trawl::collect(stars_);
    by_id(all);
    return all;
  }

 private:
  /// Balances by what the last step told, and sorts.
  void begin_batch(std::size_t step) {
    if (run_.report) report_.end_batch();
    const auto left = static_cast<double>(run_.steps - step);
    const bool by_work = run_.balance == Balance::prefix || run_.balance == Balance::prefix_time;
    if (step > 0 && run_.balance == Balance::time)
      stars_ = trawl::rebalance(stars_, left, trawl::by_count, everywhere);
    if (step > 0 && run_.balance == Balance::prefix_time)
      stars_ = trawl::rebalance(stars_, left, trawl::by<&Star::work>, everywhere);
    stars_ = sorted(stars_, by_work, run_.declared);
    masses_ = trawl::all_gather(trawl::map<mass_of>(stars_));
  }

  void advance() {
    const auto begun = trawl::now();
    const auto own = trawl::map<place_of>(stars_);
    const auto places = run_.sync == Sync::ring ? trawl::all_gather(own) : by_one(own);
    const auto tree = trawl::apply<built>(places, masses_, run_.theta, run_.declared);
    stars_ = trawl::map_shards<moved_by>(stars_, tree, run_.declared);
    if (run_.report) note(tree, begun);
  }

  void note(const trawl::Everywhere<Built>& tree, std::int64_t begun) {
    std::vector<Node> nodes;
    const auto seconds = trawl::apply<seconds_of>(tree);
    for (const auto& holding : trawl::holdings(stars_))
      nodes.push_back({holding.count, trawl::force(seconds.at(holding.place)), holding.seconds});
    report_.add(nodes, programs::seconds_since(begun));
  }

  void draw(std::size_t step) const {
    if (run_.frames.empty() || step % run_.frame_every != 0) return;
    write(frame(trawl::collect(stars_), run_.frame_pixels),
          fmt::format("{}/frame_{:05}.png", run_.frames, step / run_.frame_every));
  }

  const Run& run_;
  Stars stars_;
  trawl::Everywhere<std::vector<float>> masses_;
  Report report_;
};

// ------------------------------------------------------------------------------------------------

void add_options(programs::Command& command, Run& run) {
  constexpr std::size_t most = 100'000'000;
  command.add("--stars", run.stars, "how many, the black hole included", std::size_t{1}, most);
  command.add("--seed", run.seed, "of the random numbers", std::uint64_t{0},
              std::uint64_t{1'000'000});
  command.add("--steps", run.steps, "of 0.001", std::size_t{0}, most);
  command.add("--theta", run.theta, "opening angle; 0: every pair of stars", 0.0, 0.7);
  command.add("--batch", run.batch,
              "steps from one sorting along the curve, and balancing, to the next; 0: never",
              std::size_t{0}, most);
  command.add_choice<Sync>("--sync", run.sync,
                           "how places come to all: ring, or naive: by one node (default: ring)",
                           {{"naive", Sync::naive}, {"ring", Sync::ring}});
  command.add_choice<Balance>(
      "--balance", run.balance,
      "even: as many stars for each node; prefix: as much work; time: by how fast each "
      "was; prefix-time: by both (default: time)",
      {{"even", Balance::even},
       {"prefix", Balance::prefix},
       {"prefix-time", Balance::prefix_time},
       {"time", Balance::time}});
  command.add_flag("--report", run.report, "what each node had, and how long it computed")
      .not_sequential();
  command.add_flag(
      "--declared", run.declared,
      "where time is virtual: work takes what its parts took on another day, and is the "
      "same in each run");
  const auto frames =
      command.add_text("--frames", run.frames, "write pictures frame_NNNNN.png into this folder")
          .not_sequential();
  command
      .add("--frame-every", run.frame_every, "steps from picture to picture", std::size_t{1}, most)
      .needs(frames);
  command
      .add("--frame-pixels", run.frame_pixels, "side of a picture", std::size_t{16},
           std::size_t{8192})
      .needs(frames);
}

std::string fault(const Run& run, const std::vector<Star>& result) {
  if (run_sequentially(run) != result) return "the parallel run and the sequential one differ";
  const double error = mean_error(result, run.theta, 1000);
  std::cerr << fmt::format("mean force error against the sum over all pairs: {:.2e}\n", error);
  // Twice what was measured, and what single precision can do.
  const double limit = 1e-5 + 0.1 * run.theta * run.theta;
  if (error <= limit) return "";
  return fmt::format("the mean force error is {:.2e}, more than {:.2e}", error, limit);
}

int root(int argc, char** argv) {
  Run run;
  programs::Command command("galaxy",
                            "Moves stars round a black hole by their gravity, in two dimensions, "
                            "with a quadtree that each node has all of.");
  add_options(command, run);
  return command.run(
      argc, argv,
      [&] {
        if (!run.frames.empty()) programs::make_folder(run.frames);
        return Galaxy(run).run();
      },
      [&] { return run_sequentially(run); },
      [&](const std::vector<Star>& result) { return fault(run, result); },
      [](const std::vector<Star>& result) { std::cout << summary(result) << '\n'; });
}

}  // namespace

int main(int argc, char** argv) {
  using namespace std::string_view_literals;
  // Before the runtime begins to measure.
  if (std::find(argv, argv + argc, "--declared"sv) != argv + argc) trawl::declare_all_work();
  return trawl::run<root>(argc, argv);
}
