#include "rts/host/use_by_others.hpp"

#include <algorithm>
#include <fstream>
#include <sstream>
#include <string>

#include <unistd.h>

namespace trawl {
namespace {

double seconds(double ticks) {
  static const auto ticks_a_second = static_cast<double>(sysconf(_SC_CLK_TCK));
  return ticks / ticks_a_second;
}

// proc(5), /proc/stat: user, nice, system, idle, iowait, irq, softirq, steal; guests are in user.
double time_of_all() {
  std::ifstream stat("/proc/stat");
  std::string word;
  double user = 0, nice = 0, system = 0;
  stat >> word >> user >> nice >> system;
  return stat && word == "cpu" ? seconds(user + nice + system) : 0;
}

// The 14th and 15th word; the second is a name in parentheses, which may hold anything.
double time_of_process(pid_t process) {
  std::ifstream stat("/proc/" + std::to_string(process) + "/stat");
  std::string line;
  std::getline(stat, line);
  const auto name_ends = line.rfind(')');
  if (name_ends == std::string::npos) return 0;
  std::istringstream words(line.substr(name_ends + 1));
  std::string word;
  constexpr int words_before = 11;
  for (int i = 0; i < words_before; ++i) words >> word;
  double user = 0, system = 0;
  words >> user >> system;
  return words ? seconds(user + system) : 0;
}

}  // namespace

HostTimes host_times(const std::vector<pid_t>& own) {
  HostTimes times{time_of_all(), 0};
  for (const auto process : own) times.own += time_of_process(process);
  return times;
}

double used_by_others(const HostTimes& before, const HostTimes& now, Nanos passed) {
  if (passed <= 0 || now.own < before.own) return 0;
  const double used = (now.all - before.all) - (now.own - before.own);
  return std::max(used / (static_cast<double>(passed) * 1e-9), 0.0);
}

bool OwnerIsBack::look(Nanos now) {
  constexpr int looks = 3;
  const auto times = host_times(own_);
  const bool used = last_look_ != 0 && used_by_others(before_, times, now - last_look_) >= cores_;
  in_a_row_ = used ? in_a_row_ + 1 : 0;
  before_ = times;
  last_look_ = now;
  return in_a_row_ >= looks;
}

}  // namespace trawl
