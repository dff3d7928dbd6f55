#include "profiles/tune/replays.hpp"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <exception>
#include <filesystem>
#include <fstream>
#include <limits>
#include <mutex>
#include <optional>
#include <system_error>
#include <thread>

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "profiles/tune/stop.hpp"
#include "rts/inline/error.hpp"

namespace tune {
namespace {

struct File {
  int fd = -1;
  ~File() {
    if (fd >= 0) ::close(fd);
  }
};

/// In the child, which has its parent's memory until it is another program: what must not leave a
/// trace there. It ends with its parent, and leaves no core behind when its time is over.
[[noreturn]] void become(char* const* argv, int nothing, int said, double limit,
                         volatile int& wrong) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  constexpr rlimit no_core{0, 0};
  ::setrlimit(RLIMIT_CORE, &no_core);
  if (std::isfinite(limit)) {
    const auto most = static_cast<rlim_t>(std::ceil(limit));
    const rlimit bound{most, most + 1};
    ::setrlimit(RLIMIT_CPU, &bound);
  }
  if (::dup2(nothing, 0) >= 0 && ::dup2(nothing, 1) >= 0 && ::dup2(said, 2) >= 0)
    ::execv(argv[0], argv);
  wrong = errno;
  ::_exit(127);
}

/// Starts it; what it says on standard error comes out of `said`.
pid_t start(const std::string& program, const Words& words, double limit, File& said) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0)
    throw trawl::Error(std::string("no pipe to trawl-replay: ") + std::strerror(errno));
  said.fd = ends[0];
  const File other{ends[1]}, nothing{::open("/dev/null", O_RDWR | O_CLOEXEC)};
  std::vector<char*> argv{const_cast<char*>(program.c_str())};
  for (const auto& word : words) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  volatile int wrong = 0;  // written by the child
  // Not fork: the recording may be gigabytes. Not posix_spawn: it knows neither limits nor parents.
  const pid_t child = ::vfork();  // NOLINT(clang-analyzer-security.insecureAPI.vfork)
  if (child == 0) become(argv.data(), nothing.fd, other.fd, limit, wrong);
  if (child < 0) wrong = errno;
  if (child > 0 && wrong != 0) ::waitpid(child, nullptr, 0);
  if (wrong != 0)
    throw trawl::Error(
        "cannot start " + program + ": " + std::strerror(wrong) + "; it belongs beside trawl-tune",
        2);
  return child;
}

/// All that it says; if this process is to stop, it ends.
std::string all_of(const File& from, pid_t child) {
  std::string text;
  char part[4096];
  while (true) {
    pollfd ready{from.fd, POLLIN, 0};
    constexpr int millis = 100;
    if (::poll(&ready, 1, millis) <= 0) {
      if (signal_to_stop() != 0) ::kill(child, SIGKILL);
      continue;
    }
    const auto size = ::read(from.fd, part, sizeof part);
    if (size < 0 && errno == EINTR) continue;
    if (size <= 0) return text;
    text.append(part, static_cast<std::size_t>(size));
  }
}

std::string last_line(std::string text) {
  while (!text.empty() && text.back() == '\n') text.pop_back();
  return text.substr(text.rfind('\n') + 1);
}

std::optional<double> virtual_seconds(const std::string& said) {
  const auto at = said.rfind("simulated: ");
  double seconds = 0;
  if (at == std::string::npos || std::sscanf(said.c_str() + at, "simulated: %lf s", &seconds) != 1)
    return std::nullopt;
  return seconds;
}

double seconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
}

}  // namespace

Outcome Replays::run_one(const Words& words, double limit) const {
  File said;
  const auto child = start(program_, words, limit, said);
  const auto text = all_of(said, child);
  int status = 0;
  rusage used{};
  while (::wait4(child, &status, 0, &used) < 0 && errno == EINTR) {
  }
  if (const int signal = signal_to_stop())
    throw trawl::Error(std::string("stopped: ") + ::strsignal(signal), 128 + signal);
  Outcome outcome{for_ever, seconds(used.ru_utime) + seconds(used.ru_stime), ""};
  const bool given_up = WIFSIGNALED(status) && (WTERMSIG(status) == SIGXCPU ||
                                                (WTERMSIG(status) == SIGKILL && limit < for_ever));
  if (given_up || outcome.processor > limit) return outcome;
  const auto took = virtual_seconds(text);
  if (status == 0 && took && *took > 0) {
    outcome.seconds = *took;
  } else {
    outcome.trouble = last_line(text);
    if (outcome.trouble.empty()) outcome.trouble = "trawl-replay ended without a word";
    if (status == 0 && took) outcome.trouble = "the recording has no work";
  }
  return outcome;
}

std::vector<Outcome> Replays::run(const std::vector<Words>& runs, double limit) const {
  std::vector<Outcome> outcomes(runs.size());
  std::atomic<std::size_t> next{0};
  std::exception_ptr trouble;
  std::mutex lock;
  const auto work = [&] {
    for (std::size_t i; (i = next++) < runs.size();) try {
        outcomes[i] = run_one(runs[i], limit);
      } catch (...) {
        const std::scoped_lock one(lock);
        trouble = std::current_exception();
        next = runs.size();
      }
  };
  {
    const auto jobs = std::min<std::size_t>(static_cast<std::size_t>(jobs_), runs.size());
    std::vector<std::jthread> others;
    try {
      for (std::size_t i = 1; i < jobs; ++i) others.emplace_back(work);
    } catch (const std::system_error&) {  // no more threads: fewer at once
    }
    work();
  }
  started_ += static_cast<long>(runs.size());
  if (trouble) std::rethrow_exception(trouble);
  return outcomes;
}

Scratch::Scratch() {
  auto name = (std::filesystem::temp_directory_path() / "trawl-tune-XXXXXX").string();
  if (::mkdtemp(name.data()) == nullptr)
    throw trawl::Error("no folder for temporary files, " + name + ": " + std::strerror(errno), 2);
  folder_ = name;
}

Scratch::~Scratch() {
  std::error_code ignored;
  std::filesystem::remove_all(folder_, ignored);
}

std::string Scratch::write(const std::string& name, const std::string& text) const {
  std::ofstream out(file(name));
  if (!(out << text).flush()) throw trawl::Error("cannot write " + file(name), 2);
  return file(name);
}

}  // namespace tune
