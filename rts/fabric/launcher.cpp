#include "rts/fabric/launcher.hpp"

#include <array>
#include <atomic>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <span>
#include <string>
#include <string_view>

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include "rts/host/clocks.hpp"
#include "rts/inline/error.hpp"

namespace trawl::fabric {
namespace {

constexpr Nanos patience_with_launcher = 1'000'000'000;

constinit std::atomic<bool> said_hello{false};
constinit std::atomic<int> launchers_pipe{-1};

bool is_set(const char* name) {
  return std::getenv(name) != nullptr;
}

[[noreturn]] void refuse(const std::string& started) {
  throw Error(
      "this process was started " + started +
          ", but MPICH, which Trawl uses, does not understand that launcher and sees one process: "
          "start the program with MPICH's own, mpiexec.mpich or mpiexec.hydra, or with trawl-run",
      2);
}

[[noreturn]] void refuse(const char* variable, const char* launcher) {
  refuse(std::string("by ") + launcher + " as one of " + std::to_string(number_in(variable)) +
         " (" + variable + ")");
}

/// What a file of /proc says of a process, as far as there is room; nothing: there is none.
std::string_view told_of(int process, std::string_view what, std::span<char> room) noexcept {
  std::array<char, 32> path{"/proc/"};
  const auto number =
      std::to_chars(path.data() + std::strlen(path.data()), path.end() - what.size() - 1, process);
  std::memcpy(number.ptr, what.data(), what.size());
  const int file = open(path.data(), O_RDONLY | O_CLOEXEC);
  const auto size = file >= 0 ? read(file, room.data(), room.size()) : -1;
  if (file >= 0) close(file);
  return size > 0 ? std::string_view(room.data(), static_cast<std::size_t>(size))
                  : std::string_view();
}

}  // namespace

bool is_launcher(int process) noexcept {
  std::array<char, 16> name{};
  return told_of(process, "/comm", name) == "trawl-run\n";
}

// That it is blocked says nothing: so are all while a library starts a thread.
bool ignores_leave_signal(int process) noexcept {
  constexpr std::string_view mask = "\nSigIgn:\t";
  std::array<char, 4096> text{};
  const auto status = told_of(process, "/status", text);
  const auto at = status.find(mask);
  if (at == std::string_view::npos) return false;
  const auto digits = status.substr(at + mask.size());
  std::uint64_t signals = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), signals, 16);
  return (signals >> (leave_signal() - 1) & 1U) != 0;
}

bool send_leave_signal(int process, LeaveRequest request) noexcept {
  const auto value =
      static_cast<std::uint64_t>(request.asker) << 32U | static_cast<std::uint32_t>(request.pe);
  return sigqueue(process, leave_signal(), {.sival_ptr = reinterpret_cast<void*>(value)}) == 0;
}

LeaveRequest request_of(std::uint64_t value) noexcept {
  return {static_cast<int>(value & UINT32_MAX), static_cast<int>(value >> 32U)};
}

// Another process may have its number by now, whom the signal would end.
void answer_leave(int asker, LeaveAnswer answer) noexcept {
  if (asker > 0 && is_launcher(asker))
    send_leave_signal(asker, {static_cast<int>(answer), LeaveRequest::is_answer});
}

// What the program starts is none of trawl-run's.
void keep_launchers_pipe(int file) noexcept {
  fcntl(file, F_SETFD, FD_CLOEXEC);
  launchers_pipe = file;
}

bool is_launcher_gone() noexcept {
  if (launchers_pipe < 0) return false;
  pollfd pipe{launchers_pipe, 0, 0};
  return poll(&pipe, 1, 0) == 1 && (pipe.revents & POLLERR) != 0;
}

void tell_launcher(News news) noexcept {
  const auto byte = static_cast<char>(news);
  if (launchers_pipe < 0) return;
  [[maybe_unused]] const auto written = write(launchers_pipe, &byte, 1);
}

int number_in(const char* name, int otherwise) {
  const auto text = environment(name);
  std::from_chars(text.data(), text.data() + text.size(), otherwise);
  return otherwise;
}

std::string_view environment(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr ? value : "";
}

bool under_mpiexec() {
  for (const char* name : {"PMI_RANK", "PMI_FD", "PMI_PORT", "PMIX_RANK", "OMPI_COMM_WORLD_RANK"})
    if (is_set(name)) return true;
  return false;
}

int pes_by_mpiexec() {
  return number_in("PMI_SIZE");
}

// The innermost launcher decides: hydra may run under Slurm's. A shell that srun gave a terminal to
// is no PE.
void check_launcher(int pes) {
  if (pes > 1 || number_in("PMI_SIZE") == 1) return;
  const bool by_pmix = is_set("PMIX_RANK");
  const bool by_srun = is_set("SLURM_STEP_NUM_TASKS") && !is_set("SLURM_PTY_PORT");
  if (number_in("PMI_SIZE") > 1) refuse("PMI_SIZE", "a PMI launcher");
  if (number_in("OMPI_COMM_WORLD_SIZE") > 1) refuse("OMPI_COMM_WORLD_SIZE", "Open MPI's mpiexec");
  if (by_srun && number_in("SLURM_STEP_NUM_TASKS") > 1)
    refuse("SLURM_STEP_NUM_TASKS", "Slurm's srun");
  if (by_pmix && !is_set("SLURM_STEP_NUM_TASKS") && number_in("SLURM_NTASKS") > 1)
    refuse("SLURM_NTASKS", "Slurm");
  if (number_in("PMIX_RANK") > 0)
    refuse("by a PMIx launcher as number " + std::to_string(number_in("PMIX_RANK")) +
           " (PMIX_RANK)");
}

void note_hello() noexcept {
  said_hello = true;
}

void say_goodbye() {
  if (!said_hello) return;
  const auto text = environment("PMI_FD");
  int fd = -1;
  if (std::from_chars(text.data(), text.data() + text.size(), fd).ec != std::errc()) return;
  constexpr std::string_view goodbye = "cmd=finalize\n";
  if (write(fd, goodbye.data(), goodbye.size()) != static_cast<ssize_t>(goodbye.size())) return;
  // Collections interrupt it; and if nobody is there when the launcher answers, it ends with an
  // error of its own.
  pollfd answer{fd, POLLIN, 0};
  const auto give_up = wall_time() + patience_with_launcher;
  for (Nanos left = patience_with_launcher; left > 0; left = give_up - wall_time()) {
    const auto left_ms = static_cast<int>(left / 1'000'000) + 1;
    if (::poll(&answer, 1, left_ms) >= 0 || errno != EINTR) return;
  }
}

}  // namespace trawl::fabric
