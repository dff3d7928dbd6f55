#include "profiles/tune/replays.hpp"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>
#include <mutex>
#include <optional>
#include <thread>

#include <fcntl.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "rts/inline/error.hpp"

namespace tune {
namespace {

constexpr double for_ever = std::numeric_limits<double>::infinity();

struct File {
  int fd = -1;
  ~File() {
    if (fd >= 0) ::close(fd);
  }
};

/// Starts it; what it says on standard error comes out of `said`.
pid_t start(const std::string& program, const Words& words, File& said) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0)
    throw trawl::Error(std::string("no pipe to trawl-replay: ") + std::strerror(errno));
  said.fd = ends[0];
  const File other{ends[1]};
  std::vector<char*> argv{const_cast<char*>(program.c_str())};
  for (const auto& word : words) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&files, 1, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_adddup2(&files, other.fd, 2);
  pid_t child = 0;
  const int wrong = ::posix_spawn(&child, program.c_str(), &files, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&files);
  if (wrong != 0)
    throw trawl::Error(
        "cannot start " + program + ": " + std::strerror(wrong) + "; it belongs beside trawl-tune",
        2);
  return child;
}

std::string all_of(const File& from) {
  std::string text;
  char part[4096];
  while (true) {
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
  const auto child = start(program_, words, said);
  if (std::isfinite(limit)) {
    const auto most = static_cast<rlim_t>(std::ceil(limit));
    const rlimit bound{most, most + 1};
    ::prlimit(child, RLIMIT_CPU, &bound, nullptr);
  }
  const auto text = all_of(said);
  int status = 0;
  rusage used{};
  while (::wait4(child, &status, 0, &used) < 0 && errno == EINTR) {
  }
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
  std::optional<trawl::Error> trouble;
  std::mutex lock;
  const auto work = [&] {
    for (std::size_t i; (i = next++) < runs.size();) try {
        outcomes[i] = run_one(runs[i], limit);
      } catch (const trawl::Error& error) {
        const std::scoped_lock one(lock);
        trouble = error;
        next = runs.size();
      }
  };
  {
    const auto jobs = std::min<std::size_t>(static_cast<std::size_t>(jobs_), runs.size());
    std::vector<std::jthread> others;
    for (std::size_t i = 1; i < jobs; ++i) others.emplace_back(work);
    work();
  }
  if (trouble) throw trawl::Error(*trouble);
  return outcomes;
}

nlohmann::json Replays::statistics(Words words) const {
  const Scratch scratch;
  const auto file = scratch.file("statistics");
  words.push_back("--trawl:stats=json");
  words.push_back("--trawl:stats-file=" + file);
  const auto outcome = run({words}, for_ever).front();
  if (!outcome.trouble.empty()) throw trawl::Error(outcome.trouble, 2);
  std::ifstream in(file);
  auto statistics = nlohmann::json::parse(in, nullptr, false);
  if (statistics.is_discarded()) throw trawl::Error("trawl-replay wrote no statistics");
  statistics["simulated_s"] = outcome.seconds;
  return statistics;
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
