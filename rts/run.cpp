#include "rts/run.hpp"

#include <cstdlib>
#include <exception>
#include <iostream>
#include <memory>
#include <optional>
#include <thread>
#include <vector>

#include "rts/error.hpp"
#include "rts/fabric/mpi.hpp"
#include "rts/fabric/solo.hpp"
#include "rts/heap/collect.hpp"
#include "rts/heap/failure.hpp"
#include "rts/options.hpp"
#include "rts/pe.hpp"
#include "rts/place.hpp"
#include "rts/sched/doorman.hpp"

namespace trawl {
namespace {

/// What the command line and the environment say, and what is wrong with them.
struct Orders {
  Options options;
  std::vector<std::string> args;
  std::optional<Error> trouble;
};

Orders read_orders(int argc, char** argv) {
  Orders orders;
  orders.args.assign(argv, argv + argc);
  try {
    orders.options = take_options(orders.args);
  } catch (const Error& e) {
    orders.trouble = e;
  }
  return orders;
}

// The collector is the process's, and so is its log of collections.
constinit trace::Log* log_of_collections = nullptr;

void note_collection(bool begins) {
  trace::note(log_of_collections, begins ? trace::Kind::gc_begin : trace::Kind::gc_end, 0);
}

/// The PE of this process with its threads.
class Process {
 public:
  Process(Orders orders, fabric::Joined joined)
      : orders_(std::move(orders)), joined_(std::move(joined)), begun_(joined_.fabric->now()) {
    try {
      make_pe();
    } catch (const Error& e) {
      // A PE that can't do as it is told joins the others all the same, to tell them.
      orders_.trouble = e;
      orders_.options = Options();
      make_pe();
    }
    log_of_collections = pe_->log();
    heap::set_collection_hook(&note_collection);
  }

  [[noreturn]] void run(const Root& root) {
    sched::wake_up_on_time();
    auto& worker = pe_->crew()[0];
    worker.attach(std::make_unique<sched::Fiber>());
    if (orders_.trouble) pe_->fail(orders_.trouble->what(), orders_.trouble->exit_code());
    while (!pe_->joined() && !pe_->stopping()) poll_and_wait();
    if (!pe_->stopping()) work(worker, root);
    while (true) poll_and_wait();
  }

  /// The program called exit(): ends the run with its code.
  [[noreturn]] void exit_called(int code) {
    if (is_main())
      pe_->finish(code);
    else
      pe_->fail("a function called exit() on PE " + std::to_string(pe_->self()) +
                "; let it throw an exception instead");
    while (true) poll_and_wait();
  }

 private:
  bool is_main() const { return joined_.fabric->self() == 0; }

  void make_pe() {
    pe_ = std::make_unique<Pe>(setup(), *joined_.fabric,
                               [this](const Outcome& outcome) { leave(outcome); });
  }

  Pe::Setup setup() const {
    const auto& options = orders_.options;
    Pe::Setup setup;
    setup.options = options;
    setup.program = orders_.args.empty() ? "" : orders_.args.front();
    setup.facts.cores = usable_cores();
    setup.facts.host = host_name();
    setup.facts.cluster = options.cluster.empty() ? setup.facts.host : options.cluster;
    setup.facts.speed = options.speed > 0 ? options.speed : measure_speed();
    setup.workers = options.workers > 0 ? options.workers
                                        : std::max(1, usable_cores() / joined_.place.pes_on_host);
    setup.seed = static_cast<std::uint64_t>(joined_.fabric->now()) +
                 static_cast<std::uint64_t>(joined_.fabric->self()) * 7919;
    return setup;
  }

  void work(sched::Worker& worker, const Root& root) {
    auto& crew = pe_->crew();
    const bool spins = static_cast<int>(crew.size()) * joined_.place.pes_on_host <= usable_cores();
    std::vector<std::thread> others;
    for (std::size_t i = 1; i < crew.size(); ++i)
      others.emplace_back([&other = crew[i], spins] { run_worker(other, spins); });
    std::optional<sched::Doorman> doorman;
    if (joined_.fabric->size() > 1) doorman.emplace(crew);
    if (is_main()) pe_->start_root([&] { return call_root(root); });
    begin_work(worker, spins);
    // From here on nobody waits for threads that may be inside long functions.
    while (true) poll_and_wait();
  }

  static void run_worker(sched::Worker& worker, bool spins) {
    heap::mutator();
    sched::wake_up_on_time();
    worker.attach(std::make_unique<sched::Fiber>());
    begin_work(worker, spins);
  }

  static void begin_work(sched::Worker& worker, bool spins) {
    sched::catch_stack_overflow();
    worker.loop(spins);
  }

  int call_root(const Root& root) const {
    auto args = orders_.args;
    std::vector<char*> argv;
    for (auto& arg : args) argv.push_back(arg.data());
    argv.push_back(nullptr);
    try {
      return root(static_cast<int>(args.size()), argv.data());
    } catch (...) {
      const auto* failure = heap::current_failure();
      std::cout.flush();
      std::cerr << "trawl: the program ended with an exception: " << failure->type_name
                << (failure->message.empty() ? "" : ": ") << failure->message << '\n';
      return 1;
    }
  }

  void poll_and_wait() {
    pe_->poll(sched::this_worker);
    std::this_thread::sleep_for(std::chrono::microseconds(20));
  }

  [[noreturn]] void leave(const Outcome& outcome) {
    std::cout.flush();
    if (!outcome.error.empty()) std::cerr << "trawl: " << outcome.error << std::endl;
    if (pe_->log() != nullptr && !pe_->log()->trouble().empty())
      std::cerr << "trawl: " << pe_->log()->trouble() << std::endl;
    const auto elapsed = joined_.fabric->now() - begun_;
    const auto stats = orders_.options.stats;
    if (!outcome.figures.empty() && stats != StatsFormat::none)
      std::cerr << (stats == StatsFormat::json ? statistics_json(outcome.figures, elapsed)
                                               : statistics_text(outcome.figures, elapsed))
                << std::flush;
    fabric::leave(outcome.code);
  }

  Orders orders_;
  fabric::Joined joined_;
  Nanos begun_;
  std::unique_ptr<Pe> pe_;
};

// Set once there is a run to be ended; for exit(), which has nothing to go by.
constinit Process* process = nullptr;

void on_exit_called(int code, void*) {
  if (process != nullptr) process->exit_called(code);
}

[[noreturn]] void answer_and_leave(const Options& options, bool speaks) {
  if (speaks && options.help) std::cout << options_help();
  if (speaks && options.version) std::cout << "trawl " TRAWL_VERSION << '\n';
  fabric::leave(0);
}

}  // namespace

void run_program(int argc, char** argv, const Root& root) {
  fabric::disarm_ucx_signals();
  const auto orders = read_orders(argc, argv);
  int code = 1;
  try {
    heap::start_collector(orders.options.heap);
    sched::prepare_fences();
    auto joined = fabric::under_mpiexec()
                      ? fabric::make_mpi()
                      : fabric::Joined{std::make_unique<fabric::Solo>(), {1, 0}};
    if (orders.options.help || orders.options.version)
      answer_and_leave(orders.options, joined.fabric->self() == 0);
    // Never destroyed: its threads may be anywhere when it ends.
    process = new Process(orders, std::move(joined));
    on_exit(&on_exit_called, nullptr);
    process->run(root);
  } catch (const Error& e) {
    std::cerr << "trawl: " << e.what() << std::endl;
    code = e.exit_code();
  }
  fabric::leave(code);
}

}  // namespace trawl
