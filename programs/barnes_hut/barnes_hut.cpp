// barnes_hut: gravity in three dimensions by an octree (Barnes and Hut 1986) over distributed
// bodies. The command: options, initial conditions, the run, what is told of it. The loop is
// loop.hpp's.
#include <iostream>
#include <string>
#include <type_traits>
#include <utility>

#include <fmt/format.h>
#include <trawl/checkpoint.hpp>
#include <trawl/dist.hpp>
#include <trawl/trawl.hpp>

#include "programs/barnes_hut/frames.hpp"
#include "programs/barnes_hut/initial.hpp"
#include "programs/barnes_hut/loop.hpp"
#include "programs/barnes_hut/report.hpp"
#include "programs/barnes_hut/shards.hpp"
#include "programs/common/command.hpp"
#include "programs/common/progress.hpp"
#include "programs/common/run_clock.hpp"
#include "programs/common/with_file.hpp"

namespace bh {
namespace {

struct Options {
  std::string input;
  std::size_t bodies = 10000;
  std::uint64_t seed = 1;
  double theta = 0.5;
  double softening = 0.01;
  bool quadrupole = false;
  std::size_t steps = 100;
  double dt = 1.0 / 128;
  std::size_t report = 10;
  std::string out;
  std::string frames;
  std::size_t frame_every = 10;
  int frame_pixels = 512;
  double view = 0;
  std::string kernel = "best";
  std::uint32_t boxes = 32;
  bool phases = false;
  std::string checkpoint;  // a file; none: empty
  std::size_t every = 100;
};

/// From random numbers: it is no file.
bool is_made(const std::string& input) {
  return input == "plummer" || input == "sphere" || input == "galaxies";
}

void add_options(programs::Command& command, Options& o) {
  command
      .add_text("INPUT", o.input,
                "plummer, sphere or galaxies, in Henon units; or a file of bodies: *.tipsy, "
                "*.std, else text or CSV, a line a body: mass x y z vx vy vz")
      .needed();
  const auto bodies = command.add("--bodies", o.bodies, "how many, where INPUT is no file",
                                  std::size_t{1}, std::size_t{100'000'000});
  const auto seed = command.add("--seed", o.seed, "of the random numbers, where INPUT is no file",
                                std::uint64_t{0}, ~std::uint64_t{0});
  command.add("--theta", o.theta, "opening angle; 0: every pair of bodies", 0.0, 1.0);
  command.add("--softening", o.softening, "Plummer softening length", 0.0, 1e50);
  command.add_flag("--quadrupole", o.quadrupole, "cells act by their quadrupole moments too");
  command.add("--steps", o.steps, "steps of leapfrog", std::size_t{0}, std::size_t{1'000'000'000});
  command.add("--dt", o.dt, "length of a step", 0.0, 1e50);
  command.add("--report", o.report, "report after so many steps (and the first and last)",
              std::size_t{1}, std::size_t{1'000'000'000});
  command.add_text("--out", o.out, "write the bodies at the end: *.tipsy, *.std, *.csv, else text");
  const auto frames =
      command.add_text("--frames", o.frames, "write pictures frame_NNNNN.png into this folder");
  command
      .add("--frame-every", o.frame_every, "steps from picture to picture", std::size_t{1},
           std::size_t{1'000'000'000})
      .needs(frames);
  command.add("--frame-pixels", o.frame_pixels, "side of a picture", 16, 8192).needs(frames);
  command
      .add("--view", o.view, "half the side of what a picture shows (0: most of the bodies)", 0.0,
           1e50)
      .needs(frames);
  command.add_text("--kernel", o.kernel, "force loops: best, avx512, avx2 or portable")
      .with_default();
  command.add("--boxes", o.boxes,
              "by so many boxes a PE tells others where its bodies are: with more, less of their "
              "trees comes",
              std::uint32_t{1}, std::uint32_t{65536});
  command.add_flag(
      "--phases", o.phases,
      "time sorting, trees, forces and motion, each waited for, which takes a little longer");
  const auto checkpoint =
      command
          .add_text("--checkpoint", o.checkpoint,
                    "save the bodies in this file, and go on from there if it is there")
          .not_sequential();
  command
      .add("--every", o.every, "steps between two checkpoints", std::size_t{1},
           std::size_t{1'000'000'000})
      .needs(checkpoint);
  command.before([&o, bodies, seed] {
    if ((bodies.given() || seed.given()) && !is_made(o.input))
      throw programs::BadInput(fmt::format(
          "{} is a file: --bodies and --seed are for plummer, sphere and galaxies", o.input));
  });
}

// ---- the two ways to compute -------------------------------------------------------------------

/// Bodies that are computed, and the time that they have come to.
template <class Bodies>
struct State {
  Bodies bodies;
  double time = 0;
};

struct Distributed {
  using Bodies = trawl::Dist<Body>;
  template <auto Make>
  static Bodies generate(std::size_t count, std::uint64_t seed) {
    return trawl::generate<Make>(count, count, seed);
  }
  static State<Bodies> read(const std::string& file) {
    auto [bodies, time] = read_shards(file);
    return {bodies, time};
  }
  static void write(const std::string& file, const State<Bodies>& state) {
    write_shards(file, {state.bodies, state.time});
  }
};

struct Sequential {
  using Bodies = trawl::Sequence<Body>;
  template <auto Make>
  static Bodies generate(std::size_t count, std::uint64_t seed) {
    return trawl::sequence<Make>(count, count, seed);
  }
  static State<Bodies> read(const std::string& file) {
    auto [bodies, time] = read_bodies(file);
    return {Bodies(bodies), time};
  }
  static void write(const std::string& file, const State<Bodies>& state) {
    write_bodies(file, {trawl::collect(state.bodies), state.time});
  }
};

/// What a reduction gives.
template <class T>
const T& value(const trawl::Lazy<T>& lazy) {
  return trawl::force(lazy);
}
template <class T>
const T& value(const T& plain) {
  return plain;
}

template <class Way>
State<typename Way::Bodies> initial(const Options& o) {
  if (!is_made(o.input)) return Way::read(o.input);
  typename Way::Bodies bodies;
  if (o.input == "plummer")
    bodies = Way::template generate<plummer>(o.bodies, o.seed);
  else if (o.input == "sphere")
    bodies = Way::template generate<uniform_sphere>(o.bodies, o.seed);
  else
    bodies = Way::template generate<two_galaxies>(o.bodies, o.seed);
  const auto drift = trawl::reduce<drift_of, together>(bodies);
  return {trawl::map<at_rest>(bodies, drift), 0};
}

// ---- the run -----------------------------------------------------------------------------------

/// Writes lines about the state while it changes.
class Reporter {
 public:
  explicit Reporter(std::ostream& out) : out_(out) {}

  void line(std::size_t step, double time, const Balance& balance) {
    if (!begun_) {
      begun_ = true;
      energy_ = balance.energy();
      out_ << fmt::format("{:>8} {:>12} {:>14} {:>10} {:>10} {:>13} {:>8}\n", "step", "time",
                          "energy", "dE/E", "momentum", "ang.momentum", "-2T/W");
    }
    const double change = balance.energy() - energy_;
    out_ << fmt::format("{:>8} {:>12.6g} {:>14.7g} {:>10.2e} {:>10.2e} {:>13.6g} {:>8.4f}\n", step,
                        time, balance.energy(), energy_ == 0 ? change : change / energy_,
                        norm(balance.momentum), norm(balance.angular_momentum),
                        balance.virial_ratio())
         << std::flush;
  }

 private:
  std::ostream& out_;
  bool begun_ = false;
  double energy_ = 0;
};

class Session {
 public:
  explicit Session(const Options& o)
      : options_(o),
        motion_{
            {o.theta, o.softening, o.quadrupole, choose_kernel(o.kernel)}, o.steps, o.dt, o.boxes} {
  }

  /// The whole run; the bodies at its end are in the order of the input. Only a loud one reports
  /// and writes pictures.
  template <class Way>
  State<typename Way::Bodies> run(bool loud) const {
    State<typename Way::Bodies> state;
    const auto done = loud ? go_on(state) : 0;
    if (done == 0) state = initial<Way>(options_);
    const auto count = state.bodies.size();
    const double view = loud ? view_for(state.bodies, count) : 0;
    Reporter reporter(std::cout);
    programs::Progress progress("step", options_.steps);
    const auto begin = trawl::now();
    double aside = 0;  // in pictures
    double acted = 0;
    const auto see = [&](std::size_t since, const auto& bodies) {
      const auto step = done + since;
      if (since != 0) {
        state.time += options_.dt;
        progress.advance();
      }
      const bool last = step == options_.steps;
      if (loud && since != 0 && (last || step % options_.every == 0))
        save(step, state.time, bodies);
      const bool first = since == 0;
      if (!last && !(loud && (first || is_due(step)))) return;
      const Balance now = value(trawl::reduce<balance_of, sum>(bodies));
      acted = now.work;
      if (!loud) return;
      if (first || last || step % options_.report == 0) {
        progress.wipe();
        reporter.line(step, state.time, now);
      }
      if (!shows(step)) return;
      const auto before = trawl::now();
      write_frame(bodies, view, step / options_.frame_every);
      aside += programs::seconds_since(before);
    };
    Phases phases;
    const bool timed = loud && options_.phases;
    auto motion = motion_;
    motion.steps -= done;
    motion.goes_on = done != 0;
    state.bodies = evolve(std::move(state.bodies), motion, see, timed ? &phases : nullptr);
    const auto times = static_cast<double>(motion.steps + (motion.goes_on ? 0 : 1));
    if (timed && times > 0) tell(phases, times);
    if (loud && times > 0)
      tell(programs::seconds_since(begin) - aside, times, acted / static_cast<double>(count));
    state.bodies = trawl::sort<&Body::place>(state.bodies);
    return state;
  }

  /// What is wrong with a result, if anything.
  std::string fault(const State<trawl::Dist<Body>>& result) const {
    const auto bodies = trawl::collect(run<Sequential>(false).bodies);
    auto expected = bodies.begin();
    for (const Body& body : result.bodies)
      if (expected == bodies.end() || !(body == *expected++))
        return "the parallel run and the sequential one differ";
    if (expected != bodies.end()) return "the parallel run has lost bodies";
    const ForceError error = force_error(bodies, options_.softening, 1000);
    std::cerr << fmt::format(
        "force error against direct summation, {} bodies: mean {:.2e}, rms {:.2e}, largest "
        "{:.2e}\n",
        error.sample, error.mean, error.rms, error.largest);
    const double limit = error_limit();
    if (options_.input == "plummer" || options_.input == "galaxies")
      return error.mean <= limit ? ""
                                 : fmt::format("the mean force error is {:.2e}, more than {:.2e}",
                                               error.mean, limit);
    // Of other bodies, in a grid or a ring say, pulls may cancel out: what is left is no measure.
    return error.of_pulls <= 10 * limit
               ? ""
               : fmt::format("the mean force error is {:.2e} of the single pulls, more than {:.2e}",
                             error.of_pulls, 10 * limit);
  }

 private:
  // Several times what was measured on Plummer spheres, and what single precision can do.
  double error_limit() const {
    const double theta = options_.theta;
    return 2e-5 + (options_.quadrupole ? 0.01 * theta * theta * theta : 0.01 * theta * theta);
  }

  /// From where an earlier run has got to, if there is a checkpoint: after so many steps, never 0.
  template <class Bodies>
  std::size_t go_on([[maybe_unused]] State<Bodies>& state) const {
    std::size_t done = 0;
    if constexpr (std::is_same_v<Bodies, trawl::Dist<Body>>) {
      const auto& file = options_.checkpoint;
      if (file.empty()) return 0;
      programs::check_checkpoint(file);
      std::string of;
      const bool is_there = programs::with_file(
          [&] { return trawl::restart(file, of, done, state.time, state.bodies); });
      if (is_there && (of != what_is_computed() || done > options_.steps))
        throw programs::BadInput(
            fmt::format("{} is of {} after {} steps, and wanted are {} after {} steps in all", file,
                        of, done, what_is_computed(), options_.steps));
    }
    return done;
  }

  template <class Bodies>
  void save([[maybe_unused]] std::size_t step, [[maybe_unused]] double time,
            [[maybe_unused]] const Bodies& bodies) const {
    if constexpr (std::is_same_v<Bodies, trawl::Dist<Body>>) {
      if (options_.checkpoint.empty()) return;
      programs::with_file(
          [&] { trawl::checkpoint(options_.checkpoint, what_is_computed(), step, time, bodies); });
    }
  }

  std::string what_is_computed() const {
    const auto& o = options_;
    const auto made =
        is_made(o.input) ? fmt::format(" --bodies {} --seed {}", o.bodies, o.seed) : std::string();
    return fmt::format("{}{} --dt {} --theta {} --softening {}{}", o.input, made, o.dt, o.theta,
                       o.softening, o.quadrupole ? " --quadrupole" : "");
  }

  bool shows(std::size_t step) const {
    return !options_.frames.empty() && step % options_.frame_every == 0;
  }
  bool is_due(std::size_t step) const { return step % options_.report == 0 || shows(step); }

  template <class Bodies>
  double view_for(const Bodies& bodies, std::uint64_t count) const {
    if (options_.frames.empty() || options_.view != 0) return options_.view;
    return view_of(value(trawl::reduce<distances_of, both>(bodies, count)));
  }

  template <class Bodies>
  void write_frame(const Bodies& bodies, double view, std::size_t number) const {
    const auto density = trawl::reduce<density_of, overlaid>(bodies, view, options_.frame_pixels);
    write(frame(value(density), options_.frame_pixels),
          fmt::format("{}/frame_{:05}.png", options_.frames, number));
  }

  void tell(double seconds, double times, double acted) const {
    std::cerr << fmt::format(
        "forces computed {:.0f} times, on average {:.4f} s ({}); interactions per body at the end: "
        "{:.0f}\n",
        times, seconds / times, kernels()[motion_.gravity.kernel].name, acted);
  }

  static void tell(const Phases& phases, double times) {
    std::cerr << fmt::format(
        "of a step: sorting {:.4f} s, trees {:.4f} s, forces {:.4f} s, motion {:.4f} s\n",
        phases.sort / times, phases.tree / times, phases.forces / times, phases.motion / times);
  }

  Options options_;
  Motion motion_;
};

int root(int argc, char** argv) {
  Options options;
  programs::Command command("barnes_hut",
                            "Moves bodies by their gravity, with an octree and leapfrog.");
  add_options(command, options);
  const auto prepare = [&] {
    if (!options.out.empty()) programs::check_writable(options.out);
    if (!options.frames.empty()) programs::make_folder(options.frames);
    return Session(options);
  };
  return command.run(
      argc, argv, [&] { return prepare().run<Distributed>(true); },
      [&] { return prepare().run<Sequential>(true); },
      [&](const auto& result) { return Session(options).fault(result); },
      [&]<class Bodies>(const State<Bodies>& result) {
        using Way =
            std::conditional_t<std::is_same_v<Bodies, trawl::Dist<Body>>, Distributed, Sequential>;
        if (!options.out.empty()) Way::write(options.out, result);
      });
}

}  // namespace
}  // namespace bh

int main(int argc, char** argv) {
  return trawl::run<bh::root>(argc, argv);
}
