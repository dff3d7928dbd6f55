// trawl-run: starts the PEs of a run, here and elsewhere, and sees them through.

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <iostream>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fcntl.h>
#include <unistd.h>

#include "rts/base/say.hpp"
#include "rts/base/standard_files.hpp"
#include "rts/fabric/launcher.hpp"
#include "rts/fabric/net/key.hpp"
#include "rts/fabric/net/members.hpp"
#include "rts/fabric/net/socket.hpp"
#include "rts/inline/error.hpp"
#include "rts/launch/check.hpp"
#include "rts/launch/crew.hpp"
#include "rts/launch/environment.hpp"
#include "rts/launch/hosts.hpp"
#include "rts/launch/input.hpp"
#include "rts/launch/leave.hpp"
#include "rts/launch/printed.hpp"
#include "rts/launch/slurm.hpp"
#include "rts/options/octal.hpp"
#include "rts/options/several_hosts.hpp"

namespace {

using namespace trawl;
using namespace trawl::launch;
namespace net = trawl::fabric::net;

constexpr int most_starts = 10;

struct Options {
  int pes = 0;
  std::string hosts;
  std::string ssh = "ssh -o BatchMode=yes -o ConnectTimeout=10";
  bool wait = false;
  bool check = false;
  int leave = 0;
  int seats = 0;
  int again = 0;
  std::uint16_t port = 0;
  std::vector<std::string> program;
};

class Usage : public CLI::Formatter {
 public:
  std::string make_usage(const CLI::App*, std::string) const override {
    return "Usage: trawl-run [OPTIONS] PROGRAM [ARGUMENTS]\n";
  }
};

const CLI::Validator no_octal(
    [](const std::string& text) { return is_octal(text) ? text + " begins with 0" : ""; }, "");

void declare(CLI::App& app, Options& options) {
  app.prefix_command();
  app.set_version_flag("--version", "trawl-run " TRAWL_VERSION);
  app.formatter(std::make_shared<Usage>());
  app.add_option("-n", options.pes, "PEs, the main PE included (with --hosts: as the file says)")
      ->type_name("N")
      ->check(no_octal)
      ->check(CLI::Range(1, static_cast<int>(net::most_pes)));
  app.add_option("--hosts", options.hosts,
                 "start PEs on these hosts by ssh, beside the main PE here: lines HOST [PES]")
      ->type_name("FILE");
  app.add_option("--ssh", options.ssh, "what runs a command on a host")
      ->type_name("COMMAND")
      ->capture_default_str();
  app.add_flag(
      "--wait", options.wait,
      "start the main PE only, print the command that starts each of the others, and wait");
  app.add_option("--port", options.port, "where the others meet the main PE; 0: any")
      ->check(no_octal)
      ->check(CLI::Range(0U, 65535U))
      ->type_name("PORT");
  app.add_flag("--check", options.check,
               "start nothing: look at the hosts, ports, versions and clocks, say what is wrong");
  app.add_option("--seats", options.seats,
                 "PEs that there may be in all: others may join while the program runs, by the "
                 "command that is printed")
      ->type_name("M")
      ->check(no_octal)
      ->check(CLI::Range(1, static_cast<int>(net::most_pes)));
  app.add_option("--again", options.again,
                 "begin the run again, up to so many times, if the main PE is killed (SIGKILL)")
      ->type_name("N")
      ->check(no_octal)
      ->check(CLI::Range(0, most_starts));
  app.add_option(
         "--leave", options.leave,
         "start nothing: tell a trawl-run, by its process id in place of PROGRAM, that this "
         "PE is to leave its run")
      ->type_name("PE")
      ->check(no_octal)
      ->check(CLI::Range(1, static_cast<int>(net::most_pes) - 1));
  app.footer(
      "In a Slurm allocation the others are started by srun. TRAWL_KEY, if it is set, is the "
      "run's\n"
      "key; else there is a new one for each run.\n"
      "A run that dead PEs end, as what they had can't be made again, is begun again (at most 10\n"
      "times). What the program printed before is not printed twice.\n"
      "Exit code: the program's; 128 and the signal's number if the main PE was ended by one;\n"
      "that of a PE that ended before all were there, or 1 if that was 0; 1 if --check has found\n"
      "something, or the PE of --leave stays; 2 for bad usage.");
}

constexpr std::array<std::array<const char*, 2>, 6> exclude_each_other{{{"--leave", "-n"},
                                                                        {"--leave", "--hosts"},
                                                                        {"--leave", "--wait"},
                                                                        {"--leave", "--check"},
                                                                        {"--leave", "--seats"},
                                                                        {"--wait", "--hosts"}}};

/// Throws Error (exit code 2).
void refuse_together(const CLI::App& app) {
  for (const auto& [one, other] : exclude_each_other)
    if (app.count(one) != 0 && app.count(other) != 0)
      throw Error(std::string(one) + " and " + other + " exclude each other (trawl-run --help)", 2);
}

/// Throws Error (exit code 2) if there is no such program here, or it starts PEs itself: each PE
/// would be a run.
void look_for(const std::string& program) {
  if (program.empty()) throw Error("the program's name is empty (trawl-run --help)", 2);
  const auto name = std::filesystem::path(program).filename().string();
  for (const auto* other : {"mpiexec", "mpirun", "srun", "trawl-run"})
    if (name == other || name.starts_with(std::string(other) + "."))
      throw Error(name + " would start the PEs as well: leave it out, as in trawl-run -n 4 PROGRAM",
                  2);
  if (program.find('/') != std::string::npos) {
    if (std::error_code error; std::filesystem::is_directory(program, error))
      errno = EISDIR;
    else if (access(program.c_str(), X_OK) == 0)
      return;
    throw Error("cannot start " + program + ": " + std::strerror(errno), 2);
  }
  std::istringstream path(std::string(fabric::environment("PATH")));
  for (std::string folder; std::getline(path, folder, ':');)
    if (access((folder + "/" + program).c_str(), X_OK) == 0) return;
  throw Error("there is no program " + program, 2);
}

std::string joined(const std::vector<net::Endpoint>& endpoints) {
  std::string text;
  for (const auto& each : endpoints) text += (text.empty() ? "" : ",") + each.text();
  return text;
}

/// --help, --version.
int answer(const CLI::App& app, const CLI::ParseError& asked) {
  errno = 0;
  app.exit(asked);
  if (std::cout.flush()) return 0;
  say(std::string("trawl-run: the output could not be written: ") + std::strerror(errno) + "\n");
  return 2;
}

class Launch {
 public:
  explicit Launch(Options options)
      : options_(std::move(options)),
        hosts_(options_.hosts.empty() ? std::vector<Host>() : read_hosts(options_.hosts)),
        key_(fabric::environment("TRAWL_KEY").empty()
                 ? net::make_key()
                 : net::read_key(fabric::environment("TRAWL_KEY"))) {
    by_srun_ = hosts_.empty() && !options_.wait && slurm_.tasks != 0;
    pes_ = options_.pes != 0 ? options_.pes : by_srun_ ? slurm_.tasks : 0;
    for (const auto& host : hosts_) elsewhere_ += host.pes;
    if (!hosts_.empty()) {
      if (options_.pes != 0 && options_.pes != 1 + elsewhere_)
        throw Error(options_.hosts + " says how many PEs there are, " +
                        std::to_string(1 + elsewhere_) + " with the main one here: leave -n out",
                    2);
      pes_ = 1 + elsewhere_;
    }
    if (pes_ == 0) throw Error("how many PEs? say -n N, or --hosts FILE", 2);
    if (pes_ > static_cast<int>(net::most_pes)) throw Error("too many PEs", 2);
    if (!hosts_.empty() && options_.ssh.find_first_not_of(" \t") == std::string::npos)
      throw Error("--ssh is to say what runs a command on a host", 2);
    if (options_.seats != 0 && options_.seats < pes_)
      throw Error("--seats counts all PEs, those that are there at first too", 2);
    if (!is_only_here()) setenv(several_hosts, "1", true);
    listen();
  }

  int check() const {
    if (hosts_.empty()) throw Error("--check looks at hosts: say --hosts FILE", 2);
    return launch::check(options_.ssh, hosts_, options_.program.front(), at_);
  }

  int run() {
    for (int starts = 1, killed = 0;; ++starts) {
      const bool may = starts != most_starts && !options_.wait && !by_srun_;
      const bool whole = may && input_.can_be_read_again();
      Crew crew({may, whole, whole && killed < options_.again}, printed_);
      const int begun = start(crew);
      const int code = crew.see_through(begun);
      if (!crew.again() || printed_.too_long()) {
        if (code == lost_with_a_pe) say_why_not_again(starts);
        if (crew.main_was_killed() && killed != 0 && killed == options_.again)
          say("trawl-run: the run is not begun again: --again allowed " + std::to_string(killed) +
              "\n");
        return code;
      }
      if (crew.main_was_killed()) ++killed;
      if (crew.had_begun()) begin_again(crew.lost());
      listen();
    }
  }

 private:
  /// Of other hosts without the PEs that are `lost`: what ended them may last.
  void begin_again(const std::vector<std::size_t>& lost) {
    input_.rewind();
    std::size_t at = 1;
    for (auto& host : hosts_) {
      const auto end = at + static_cast<std::size_t>(host.pes);
      for (const auto each : lost)
        if (at <= each && each < end) --host.pes, --pes_;
      at = end;
    }
    say("trawl-run: the run is begun again" +
        (pes_ == 1 ? "" : ", on " + std::to_string(pes_) + " PEs") +
        (input_.is_typed() ? "; if it has read what was typed, type that again" : "") + "\n");
  }

  void say_why_not_again(int starts) const {
    const auto* const why =
        options_.wait || by_srun_ ? "its PEs are not started by trawl-run alone"
        : starts == most_starts   ? "it has been begun again often enough"
        : printed_.too_long() ? "it has printed too much to compare with what it would print then"
        : !input_.can_be_read_again()
            ? "its input came by a pipe, and can't be read twice; give it by a file (< FILE)"
            : nullptr;
    if (why != nullptr) say(std::string("trawl-run: the run is not begun again: ") + why + "\n");
  }

  bool is_only_here() const {
    return hosts_.empty() && !options_.wait && !by_srun_ && options_.seats == 0;
  }

  void listen() {
    const bool only_here = is_only_here();
    listening_ = net::Socket::listening(options_.port, only_here);
    at_ = net::own_endpoints(listening_.port());
    // Elsewhere it would be another host's.
    if (at_.empty() && !hosts_.empty())
      throw Error("no network of this host is up: nobody elsewhere could meet the main PE", 2);
    if (!only_here && !at_.empty() && !at_.front().is_loopback())
      std::erase_if(at_, [](const net::Endpoint& each) { return each.is_loopback(); });
    here_ = "127.0.0.1:" + std::to_string(listening_.port());
  }

  /// A pipe with a byte in it when all PEs are there.
  int start(Crew& crew) {
    const int begun = begin_main(crew);
    if (options_.wait || options_.seats != 0) print_line();
    if (by_srun_)
      add_by_srun(crew);
    else if (!hosts_.empty())
      add_elsewhere(crew);
    else if (!options_.wait)
      for (int pe = 1; pe < pes_; ++pe) crew.add(other(here_), "a PE");
    listening_ = net::Socket();
    return begun;
  }

  int begin_main(Crew& crew) {
    std::array<int, 2> begun{};
    if (pipe2(begun.data(), O_CLOEXEC) != 0)
      throw Error(std::string("cannot make a pipe: ") + std::strerror(errno));
    Command command{options_.program};
    command.reads_ours = true;
    command.files = {listening_.file(), begun[1]};
    command.environment = {
        {"TRAWL_KEY", net::text_of(key_)},
        {"TRAWL_PES", std::to_string(pes_)},
        {"TRAWL_MEET", "fd:" + std::to_string(listening_.file()) + "," + std::to_string(begun[1])}};
    if (options_.seats != 0)
      command.environment.emplace_back("TRAWL_SEATS", std::to_string(options_.seats));
    if (options_.wait) command.environment.emplace_back("TRAWL_START_WAIT", "0");
    crew.add(command, "the main PE");
    close(begun[1]);
    return begun[0];
  }

  Command other(const std::string& at) const {
    Command command{options_.program};
    command.environment = {{"TRAWL_KEY", net::text_of(key_)}, {"TRAWL_JOIN", at}};
    return command;
  }

  void add_by_srun(Crew& crew) {
    for (const auto& words : slurm_.steps(pes_ - 1)) {
      auto command = other(joined(at_));
      command.words.insert(command.words.begin(), words.begin(), words.end());
      crew.add(command, "srun");
    }
  }

  void add_elsewhere(Crew& crew) {
    Command there{options_.program, flags_to_pass_on()};
    there.environment.emplace_back("TRAWL_JOIN", joined(at_));
    for (const auto& host : hosts_)
      for (int pe = 0; pe < host.pes; ++pe) {
        Command command{on_host(options_.ssh, host, there, "TRAWL_KEY")};
        command.input = net::text_of(key_) + "\n";
        crew.add(command, "a PE on " + host.name);
      }
  }

  /// It may be called in another directory. What is behind a -- is the program's.
  void print_line() const {
    auto words = options_.program;
    if (words.front().find('/') != std::string::npos)
      words.front() = std::filesystem::absolute(words.front()).lexically_normal().string();
    const auto end = std::find(words.begin(), words.end(), "--");
    words.insert(end, {"--trawl:start-wait=0",
                       "--trawl:join=" + (at_.empty() ? here_ : at_.front().text())});
    std::string line = "TRAWL_KEY=" + net::text_of(key_);
    for (const auto& [name, value] : flags_to_pass_on()) line += " " + name + "=" + quoted(value);
    for (const auto& word : words) line += " " + quoted(word);
    say(line + "\n");
  }

  Options options_;
  Input input_;
  Printed printed_;
  std::vector<Host> hosts_;
  Slurm slurm_ = slurm_here();
  net::Key key_;
  int pes_ = 0;
  int elsewhere_ = 0;
  bool by_srun_ = false;
  net::Socket listening_;
  std::vector<net::Endpoint> at_;  // where others find it
  std::string here_;               // where those of this host do
};

}  // namespace

int main(int argc, char** argv) {
  std::signal(fabric::leave_signal(), SIG_IGN);
  std::signal(SIGCHLD, SIG_DFL);  // ignored, nobody could be waited for
  keep_closed_outputs_closed();
  CLI::App app("Starts a program that runs on Trawl on several PEs.", "trawl-run");
  Options options;
  declare(app, options);
  try {
    app.parse(argc, argv);
    options.program = app.remaining();
    if (!options.program.empty() && options.program.front() == "--")
      options.program.erase(options.program.begin());
    if (options.program.empty() && options.leave == 0)
      throw Error("which program? (trawl-run --help)", 2);
    if (!options.program.empty() && options.program.front().starts_with('-'))
      throw Error(options.program.front() + " is no option (trawl-run --help)", 2);
    refuse_together(app);
    if (options.leave != 0) return send_away(options.leave, options.program);
    look_for(options.program.front());
    const bool check = options.check;
    Launch launch(std::move(options));
    return check ? launch.check() : launch.run();
  } catch (const CLI::ParseError& e) {
    if (e.get_exit_code() == 0) return answer(app, e);
    say(std::string("trawl-run: ") + e.what() + " (trawl-run --help)\n");
    return 2;
  } catch (const Error& e) {
    say(std::string("trawl-run: ") + e.what() + "\n");
    return e.exit_code();
  } catch (const std::exception& e) {  // our directory is gone, or memory is out
    say(std::string("trawl-run: ") + e.what() + "\n");
    return 2;
  }
}
