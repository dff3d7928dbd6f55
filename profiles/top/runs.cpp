#include "profiles/top/runs.hpp"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "rts/inline/error.hpp"

namespace trawl::top {
namespace {

namespace fs = std::filesystem;

constexpr int nothing_to_see = 1;

std::optional<pid_t> process_of(std::string_view name) {
  pid_t pid = 0;
  const auto [end, wrong] = std::from_chars(name.data(), name.data() + name.size(), pid);
  if (wrong != std::errc() || end != name.data() + name.size() || pid <= 0) return std::nullopt;
  return pid;
}

/// The file by which a process shows its run, if it does. Others of us can only read theirs.
std::optional<std::string> memory_of(pid_t pid) {
  const auto wanted = "/memfd:" + std::string(trace::pulse_memory) + " (deleted)";
  std::error_code error;  // it has ended, or is another user's
  for (fs::directory_iterator file(fs::path("/proc") / std::to_string(pid) / "fd", error), end;
       !error && file != end; file.increment(error)) {
    std::error_code closed;
    if (fs::read_symlink(file->path(), closed) != wanted) continue;
    const auto mode = fs::symlink_status(file->path(), closed).permissions();
    if ((mode & fs::perms::owner_write) != fs::perms::none) return file->path().string();
  }
  return std::nullopt;
}

pid_t parent_of(pid_t pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/status");
  for (std::string word; file >> word;) {
    pid_t parent = 0;
    if (word == "PPid:" && file >> parent) return parent;
  }
  return 0;
}

bool descends(pid_t pid, pid_t ancestor) {
  for (int steps = 0; pid > 0 && steps < 1000; ++steps, pid = parent_of(pid))
    if (pid == ancestor) return true;
  return false;
}

std::string program_of(pid_t pid) {
  std::string name;
  std::getline(std::ifstream("/proc/" + std::to_string(pid) + "/comm"), name);
  return name;
}

Run the_only(std::vector<Run> runs, const std::string& none) {
  if (runs.empty()) throw Error(none, nothing_to_see);
  if (runs.size() == 1) return std::move(runs.front());
  std::string which = "there are several runs, name one by its process:";
  for (const auto& run : runs)
    which +=
        fmt::format("{} {} ({})", &run == &runs.front() ? "" : ",", run.pid, program_of(run.pid));
  throw Error(which, 2);
}

/// All that is there now.
Bytes read_all(int file) {
  struct stat status {};
  if (fstat(file, &status) != 0 || status.st_size <= 0) return {};
  constexpr off_t largest = off_t{1} << 30;
  Bytes bytes(static_cast<std::size_t>(std::min(status.st_size, largest)));
  std::size_t size = 0;
  while (size < bytes.size()) {
    const auto count =
        pread(file, bytes.data() + size, bytes.size() - size, static_cast<off_t>(size));
    if (count <= 0) break;
    size += static_cast<std::size_t>(count);
  }
  bytes.resize(size);
  return bytes;
}

}  // namespace

std::vector<Run> find_runs() {
  std::vector<Run> runs;
  std::error_code error;
  for (fs::directory_iterator process("/proc", error), end; !error && process != end;
       process.increment(error)) {
    const auto pid = process_of(process->path().filename().string());
    if (!pid) continue;
    if (auto memory = memory_of(*pid)) runs.push_back({*pid, std::move(*memory)});
  }
  std::sort(runs.begin(), runs.end(), [](const Run& a, const Run& b) { return a.pid < b.pid; });
  return runs;
}

Run run_of(pid_t pid) {
  const auto home = "/proc/" + std::to_string(pid);
  struct stat status {};
  if (stat(home.c_str(), &status) != 0)
    throw Error("there is no process " + std::to_string(pid), nothing_to_see);
  if (auto memory = memory_of(pid)) return {pid, std::move(*memory)};
  if (geteuid() != 0 && status.st_uid != geteuid())
    throw Error("process " + std::to_string(pid) + " is another user's", nothing_to_see);
  auto runs = find_runs();
  std::erase_if(runs, [pid](const Run& run) { return !descends(run.pid, pid); });
  return the_only(std::move(runs), "process " + std::to_string(pid) +
                                       " is not the main PE of a run, nor has it started one "
                                       "here (simulated runs can't be watched)");
}

Run only_run() {
  return the_only(find_runs(),
                  "no run of yours has its main PE on this host (simulated runs can't be watched)");
}

Look::Look(Run run) : run_(std::move(run)), file_(open(run_.memory.c_str(), O_RDONLY | O_CLOEXEC)) {
  auto lock = trace::one_byte(F_RDLCK, trace::looking_byte);
  if (file_ >= 0 && fcntl(file_, F_OFD_SETLK, &lock) == 0) return;
  const int why = errno;
  if (file_ >= 0) close(file_);
  throw Error("cannot look at process " + std::to_string(run_.pid) + ": " + std::strerror(why),
              nothing_to_see);
}

Look::~Look() {
  close(file_);
}

bool Look::runs() const noexcept {
  auto lock = trace::one_byte(F_RDLCK, trace::running_byte);
  return fcntl(file_, F_OFD_GETLK, &lock) == 0 && lock.l_type == F_WRLCK;
}

// It may be in the middle of being written.
std::optional<trace::Table> Look::table() const {
  constexpr int tries = 500;  // who writes may be without a core
  constexpr timespec moment{0, 2'000'000};
  for (int left = tries;; --left) {
    const auto bytes = read_all(file_);
    if (bytes.empty()) return std::nullopt;
    try {
      return trace::decode_table(bytes);
    } catch (const BadBytes& e) {
      if (left == 0)
        throw Error(
            "what process " + std::to_string(run_.pid) + " shows can't be read: " + e.what(),
            nothing_to_see);
    }
    nanosleep(&moment, nullptr);
  }
}

}  // namespace trawl::top
