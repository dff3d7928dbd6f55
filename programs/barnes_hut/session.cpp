#include "programs/barnes_hut/session.hpp"

#include <algorithm>
#include <filesystem>
#include <iostream>

#include <fmt/format.h>

#include "programs/barnes_hut/frames.hpp"
#include "programs/barnes_hut/initial.hpp"
#include "programs/barnes_hut/read_write.hpp"
#include "programs/barnes_hut/report.hpp"
#include "programs/common/command.hpp"
#include "programs/common/progress.hpp"

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
};

void add_options(programs::Command& command, Options& o) {
  auto& app = command.options();
  app.add_option(
         "INPUT", o.input,
         "plummer, sphere or galaxies, in Henon units; or a file of bodies: *.tipsy, *.std, "
         "else text or CSV, a line a body: mass x y z vx vy vz")
      ->required();
  command.add("--bodies", o.bodies, "how many, where INPUT is no file", std::size_t{1},
              std::size_t{100'000'000});
  command.add("--seed", o.seed, "of the random numbers", std::uint64_t{0}, ~std::uint64_t{0});
  command.add("--theta", o.theta, "opening angle; 0: every pair of bodies", 0.0, 1.0);
  command.add("--softening", o.softening, "Plummer softening length", 0.0, 1e50);
  app.add_flag("--quadrupole", o.quadrupole, "cells act by their quadrupole moments too");
  command.add("--steps", o.steps, "steps of leapfrog", std::size_t{0}, std::size_t{1'000'000'000});
  command.add("--dt", o.dt, "length of a step", 0.0, 1e50);
  command.add("--report", o.report, "report after so many steps (and the first and last)",
              std::size_t{1}, std::size_t{1'000'000'000});
  app.add_option("--out", o.out, "write the bodies at the end: *.tipsy, *.std, *.csv, else text");
  app.add_option("--frames", o.frames, "write pictures frame_NNNNN.png into this folder");
  command.add("--frame-every", o.frame_every, "steps from picture to picture", std::size_t{1},
              std::size_t{1'000'000'000});
  command.add("--frame-pixels", o.frame_pixels, "side of a picture", 16, 8192);
  command.add("--view", o.view, "half the side of what a picture shows (0: most of the bodies)",
              0.0, 1e50);
  app.add_option("--kernel", o.kernel, "force loops: best, avx512, avx2 or portable")
      ->capture_default_str();
}

Snapshot initial(const Options& o) {
  Snapshot snapshot;
  if (o.input == "plummer")
    snapshot.bodies = plummer(o.bodies, o.seed);
  else if (o.input == "sphere")
    snapshot.bodies = uniform_sphere(o.bodies, o.seed);
  else if (o.input == "galaxies")
    snapshot.bodies = two_galaxies(o.bodies, o.seed);
  else
    return read_bodies(o.input);
  for (std::size_t i = 0; i < snapshot.bodies.size(); ++i) snapshot.bodies[i].place = i;
  return snapshot;
}

/// Writes lines about the state while it changes.
class Reporter {
 public:
  explicit Reporter(std::ostream& out) : out_(out) {}

  void line(std::size_t step, const Snapshot& now) {
    const Balance balance = balance_of(now.bodies);
    if (!begun_) {
      begun_ = true;
      energy_ = balance.energy();
      out_ << fmt::format("{:>8} {:>12} {:>14} {:>10} {:>10} {:>13} {:>8}\n", "step", "time",
                          "energy", "dE/E", "momentum", "ang.momentum", "-2T/W");
    }
    const double change = balance.energy() - energy_;
    out_ << fmt::format("{:>8} {:>12.6g} {:>14.7g} {:>10.2e} {:>10.2e} {:>13.6g} {:>8.4f}\n", step,
                        now.time, balance.energy(), energy_ == 0 ? change : change / energy_,
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
      : options_(o), gravity_{o.theta, o.softening, o.quadrupole, choose_kernel(o.kernel)} {}

  /// The whole run. Only a loud one reports and writes pictures.
  Snapshot run(const Evaluate& evaluate, bool loud) const {
    Snapshot state = initial(options_);
    const double view = loud && !options_.frames.empty() && options_.view == 0
                            ? view_of(state.bodies)
                            : options_.view;
    Reporter reporter(std::cout);
    programs::Progress progress("step", options_.steps);
    Phases phases;
    compute_forces(state.bodies, gravity_, evaluate, phases);
    for (std::size_t i = 0;; ++i) {
      if (loud) {
        if (i % options_.report == 0 || i == options_.steps) {
          progress.wipe();
          reporter.line(i, state);
        }
        if (!options_.frames.empty() && i % options_.frame_every == 0)
          write_frame(state, view, i / options_.frame_every);
      }
      if (i == options_.steps) break;
      step(state.bodies, options_.dt, gravity_, evaluate, phases);
      state.time += options_.dt;
      progress.advance();
    }
    if (loud) tell_phases(state.bodies, phases);
    std::ranges::sort(state.bodies, {}, &Body::place);
    return state;
  }

  /// What is wrong with a result, if anything.
  std::string fault(const Snapshot& result, const Evaluate& sequentially) const {
    if (run(sequentially, false).bodies != result.bodies)
      return "the parallel run and the sequential one differ";
    const ForceError error = force_error(result.bodies, options_.softening, 1000);
    std::cerr << fmt::format(
        "force error against direct summation, {} bodies: mean {:.2e}, rms {:.2e}, largest "
        "{:.2e}\n",
        error.sample, error.mean, error.rms, error.largest);
    const double limit = error_limit();
    if (error.mean <= limit) return "";
    return fmt::format("the mean force error is {:.2e}, more than {:.2e}", error.mean, limit);
  }

 private:
  // Several times what was measured on Plummer spheres, and what single precision can do.
  double error_limit() const {
    const double theta = options_.theta;
    return 2e-5 + (gravity_.quadrupole ? 0.01 * theta * theta * theta : 0.01 * theta * theta);
  }

  void write_frame(const Snapshot& state, double view, std::size_t number) const {
    write(frame(state.bodies, view, options_.frame_pixels),
          fmt::format("{}/frame_{:05}.png", options_.frames, number));
  }

  void tell_phases(const Bodies& bodies, const Phases& p) const {
    const auto evaluations = static_cast<double>(p.evaluations);
    const double each = evaluations * static_cast<double>(bodies.size());
    const auto acted = static_cast<double>(p.work.bodies + p.work.cells);
    std::cerr << fmt::format(
        "forces computed {} times, on average {:.4f} s: sort {:.4f}, tree {:.4f}, forces {:.4f}; "
        "all cores: walk {:.4f}, kernel {:.4f}\n"
        "interactions per body: {:.0f}{}; {:.2f} G/s in the kernel ({})\n",
        p.evaluations, (p.sort + p.tree + p.forces) / evaluations, p.sort / evaluations,
        p.tree / evaluations, p.forces / evaluations, p.work.walk / evaluations,
        p.work.kernel / evaluations, acted / each,
        gravity_.quadrupole ? fmt::format(", {:.0f} of them with quadrupoles",
                                          static_cast<double>(p.work.cells) / each)
                            : "",
        acted / p.work.kernel / 1e9, kernels()[gravity_.kernel].name);
  }

  Options options_;
  Gravity gravity_;
};

void make_folder(const std::string& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) throw programs::BadInput(fmt::format("{}: {}", folder, error.message()));
}

}  // namespace

int session(int argc, char** argv, const Evaluate& in_parallel, const Evaluate& sequentially) {
  Options options;
  programs::Command command("barnes_hut",
                            "Moves bodies by their gravity, with an octree and leapfrog.");
  add_options(command, options);
  const auto run = [&](const Evaluate& evaluate) {
    if (!options.out.empty()) programs::check_writable(options.out);
    if (!options.frames.empty()) make_folder(options.frames);
    return Session(options).run(evaluate, true);
  };
  return command.run(
      argc, argv, [&] { return run(in_parallel); }, [&] { return run(sequentially); },
      [&](const Snapshot& result) { return Session(options).fault(result, sequentially); },
      [&](const Snapshot& result) {
        if (!options.out.empty()) write_bodies(options.out, result);
      });
}

}  // namespace bh
