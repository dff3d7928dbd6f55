#include "rts/host/others.hpp"

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
double time_of(pid_t process) {
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

double OthersUse::look(Nanos now) {
  const double all = time_of_all();
  double owns = 0;
  for (const auto process : own_) owns += time_of(process);
  const double passed = static_cast<double>(now - last_look_) * 1e-9;
  const bool first = last_look_ == 0;
  // Of one that has ended nothing is known any more: then there is no difference to tell.
  const double used = owns < owns_ ? 0 : (all - all_) - (owns - owns_);
  last_look_ = now;
  all_ = all;
  owns_ = owns;
  return first || passed <= 0 ? 0 : std::max(used / passed, 0.0);
}

bool OwnerIsBack::look(Nanos now) {
  in_a_row_ = use_.look(now) >= cores_ ? in_a_row_ + 1 : 0;
  return in_a_row_ >= looks;
}

}  // namespace trawl
