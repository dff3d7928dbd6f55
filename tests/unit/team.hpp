// One PE of several workers on real OS threads.
#pragma once

#include <exception>
#include <latch>
#include <memory>
#include <optional>
#include <thread>
#include <vector>

#include "rts/fabric/solo.hpp"
#include "rts/pe.hpp"
#include "rts/progress/progress_thread.hpp"

namespace trawl::test {

/// One PE with its threads, as rts/run.cpp makes it, but one that ends.
class Team {
 public:
  explicit Team(int workers, const Options& options = {}) : working_(workers - 1) {
    sched::prepare_fences();
    pe_.emplace(setup(workers, options), fabric_, [](const life::Outcome&) {});
    pe().workers()[0].attach(std::make_unique<sched::Fiber>());
    for (std::size_t i = 1; i < pe().workers().size(); ++i)
      threads_.emplace_back([this, &worker = pe().workers()[i]] {
        heap::mutator();
        worker.attach(std::make_unique<sched::Fiber>());
        worker.loop(false);
        working_.count_down();
        dismissed_.wait();
      });
  }
  ~Team() {
    sched::set_this_worker(nullptr);
    pe_.reset();
    dismissed_.count_down();
    for (auto& thread : threads_) thread.join();
  }
  Team(const Team&) = delete;
  Team& operator=(const Team&) = delete;

  /// A team evaluates one root; its workers have left their main loops when this returns.
  template <class Root>
  void run(Root root, bool with_progress_thread = false) {
    std::optional<progress::ProgressThread> progress_thread;
    if (with_progress_thread) progress_thread.emplace(pe().workers());
    std::exception_ptr error;
    pe().start_root([&] {
      try {
        root();
      } catch (...) {
        error = std::current_exception();
      }
      return 0;
    });
    pe().workers()[0].loop(false);
    working_.wait();
    if (error) std::rethrow_exception(error);
  }

  Pe& pe() { return *pe_; }
  std::uint64_t count(Count what) { return pe().statistics()[static_cast<std::size_t>(what)]; }

 private:
  static Pe::Setup setup(int workers, const Options& options) {
    Pe::Setup setup;
    setup.options = options;
    setup.facts.host = setup.facts.cluster = "here";
    setup.workers = workers;
    return setup;
  }

  std::latch working_;
  std::latch dismissed_{1};
  fabric::Solo fabric_;
  std::optional<Pe> pe_;
  std::vector<std::thread> threads_;
};

}  // namespace trawl::test
