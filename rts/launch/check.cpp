#include "rts/launch/check.hpp"

#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <poll.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "rts/host/clocks.hpp"
#include "rts/launch/child.hpp"

namespace trawl::launch {
namespace {

constexpr Nanos patience = 20'000'000'000;
constexpr double wrong_clock = 1;  // seconds: logs of a host say when by its own clock

struct Heard {
  int status = -1;  // of the process; -1: it did not end
  std::string out, err;
};

std::string first_line(const std::string& text) {
  return text.substr(0, text.find('\n'));
}

/// Runs it to its end, which may not take for ever.
Heard hear(const std::vector<std::string>& words) {
  Command command{words};
  command.input = "\n";  // no key
  const auto child = start(command);
  Heard heard;
  const auto give_up = wall_time() + patience;
  std::array<pollfd, 2> files{{{child.out, POLLIN, 0}, {child.err, POLLIN, 0}}};
  while ((files[0].fd >= 0 || files[1].fd >= 0) && wall_time() < give_up) {
    poll(files.data(), files.size(), 100);
    for (auto& file : files) {
      std::array<char, 4096> part{};
      if (file.fd < 0 || file.revents == 0) continue;
      const auto count = read(file.fd, part.data(), part.size());
      auto& text = file.fd == child.out ? heard.out : heard.err;
      if (count > 0)
        text.append(part.data(), static_cast<std::size_t>(count));
      else
        close(std::exchange(file.fd, -1));
    }
  }
  if (files[0].fd >= 0 || files[1].fd >= 0) kill(child.process, SIGKILL);
  for (const auto& file : files)
    if (file.fd >= 0) close(file.fd);
  waitpid(child.process, &heard.status, 0);
  return heard;
}

double real_time() {
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

std::string machine() {
  utsname name{};
  return uname(&name) == 0 ? name.machine : "";
}

/// What is asked there: time, machine, the program's version, and which of our addresses can be
/// reached. A line each, with its name.
std::vector<std::string> questions(const std::string& program,
                                   const std::vector<fabric::net::Endpoint>& here) {
  std::string script = "echo time $(date +%s.%N); echo machine $(uname -m); version=$(" +
                       quoted(program) + " --trawl:version) && echo version $version";
  for (const auto& endpoint : here) {
    const auto text = endpoint.text();
    const auto colon = text.rfind(':');
    auto host = text.substr(0, colon);
    if (host.front() == '[') host = host.substr(1, host.size() - 2);
    script +=
        fmt::format("; timeout 5 bash -c 'exec 3<>/dev/tcp/{}/{}' 2>/dev/null && echo reaches {}",
                    host, text.substr(colon + 1), text);
  }
  return {"sh", "-c", script + "; true"};
}

/// What is wrong with a host; empty: nothing.
std::string judge(const Heard& heard, double asked, double answered) {
  if (heard.status != 0) {
    const auto why = first_line(heard.err);
    return "cannot be reached" + (why.empty() ? "" : ": " + why);
  }
  std::map<std::string, std::string> said;
  std::istringstream lines(heard.out);
  for (std::string name, what; lines >> name && std::getline(lines >> std::ws, what);)
    said.try_emplace(name, what);
  if (!said.contains("time") || !said.contains("machine"))
    return "does not do what it is told: what does --ssh start?";
  if (said["machine"] != machine())
    return "is another kind of machine: " + said["machine"] + ", not " + machine();
  if (!said.contains("version")) {
    const auto why = first_line(heard.err);
    return "cannot run the program" + (why.empty() ? "" : ": " + why);
  }
  const auto& version = said["version"];
  if (!version.starts_with("trawl ")) return "runs what is no program of Trawl";
  if (version != "trawl " TRAWL_VERSION) return "has another version: " + version;
  const double time = std::strtod(said["time"].c_str(), nullptr);
  if (time < asked - wrong_clock || time > answered + wrong_clock)
    return fmt::format("has another time: {:+.1f} s", time - (asked + answered) / 2);
  if (!said.contains("reaches")) return "cannot reach this host: is there a firewall?";
  return "";
}

}  // namespace

int check(const std::string& ssh, const std::vector<Host>& hosts, const std::string& program,
          const std::vector<fabric::net::Endpoint>& here) {
  int wrong = 0;
  for (const auto& host : hosts) {
    const auto asked = real_time();
    const auto heard = hear(on_host(ssh, host, Command{questions(program, here)}, "TRAWL_KEY"));
    const auto trouble = judge(heard, asked, real_time());
    std::printf("%s: %s\n", host.name.c_str(), trouble.empty() ? "ready" : trouble.c_str());
    std::fflush(stdout);
    if (!trouble.empty()) wrong = 1;
  }
  return wrong;
}

}  // namespace trawl::launch
