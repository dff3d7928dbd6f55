#include "rts/launch/leave.hpp"

#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstring>
#include <optional>

#include <sys/stat.h>
#include <unistd.h>

#include "rts/base/say.hpp"
#include "rts/fabric/launcher.hpp"
#include "rts/inline/error.hpp"

namespace trawl::launch {
namespace {

bool is_ours(pid_t process) {
  struct stat owner {};
  return fabric::is_launcher(process) &&
         stat(("/proc/" + std::to_string(process)).c_str(), &owner) == 0 &&
         owner.st_uid == getuid();
}

/// One that has just begun will in a moment.
bool has_begun(pid_t process) {
  constexpr int tries = 100;
  constexpr useconds_t a_moment = 10'000;
  for (int i = 0; i < tries; ++i) {
    if (fabric::ignores_leave_signal(process)) return true;
    usleep(a_moment);
  }
  return false;
}

/// What the main PE says to it. It may be looking after something long.
std::optional<fabric::LeaveAnswer> wait_for_answer() {
  constexpr time_t patience = 5;
  sigset_t answers;
  sigemptyset(&answers);
  sigaddset(&answers, fabric::leave_signal());
  const timespec most{patience, 0};
  siginfo_t info{};
  while (sigtimedwait(&answers, &info, &most) > 0) {
    const auto said = fabric::request_of(reinterpret_cast<std::uint64_t>(info.si_value.sival_ptr));
    if (info.si_code == SI_QUEUE && said.asker == fabric::LeaveRequest::is_answer)
      return static_cast<fabric::LeaveAnswer>(said.pe);
  }
  return std::nullopt;
}

std::string why_not(std::optional<fabric::LeaveAnswer> answer) {
  if (!answer)
    return "the run has not answered: it may not have begun, and heed this later, or be of an "
           "older Trawl";
  switch (*answer) {
    case fabric::LeaveAnswer::is_told:
      return "";
    case fabric::LeaveAnswer::there_is_none:
      return "there is none, or not any more";
    case fabric::LeaveAnswer::deaths_end_runs:
      return "the run has --trawl:recover=off";
    case fabric::LeaveAnswer::has_shared_objects:
      return "the program has shared objects";
  }
  return "the run's answer is of a newer Trawl";
}

}  // namespace

int send_away(int pe, const std::vector<std::string>& words) {
  if (words.size() != 1)
    throw Error("--leave PE takes one process id, of a trawl-run (trawl-run --help)", 2);
  const auto& process = words.front();
  pid_t id = 0;
  const auto* end = process.data() + process.size();
  const auto read = std::from_chars(process.data(), end, id);
  if (read.ec != std::errc() || read.ptr != end || id <= 0 || !is_ours(id))
    throw Error(process + " is not the process id of a trawl-run that is yours", 2);
  if (!has_begun(id)) throw Error(process + " has not begun yet", 2);
  sigset_t answers;
  sigemptyset(&answers);
  sigaddset(&answers, fabric::leave_signal());
  sigprocmask(SIG_BLOCK, &answers, nullptr);
  std::signal(fabric::leave_signal(), SIG_DFL);
  if (!fabric::send_leave_signal(id, {pe, 0}))
    throw Error("cannot tell " + process + ": " + std::strerror(errno), 2);
  const auto why = why_not(wait_for_answer());
  if (why.empty()) return 0;
  say("trawl-run: PE " + std::to_string(pe) + " does not leave: " + why + "\n");
  return 1;
}

}  // namespace trawl::launch
