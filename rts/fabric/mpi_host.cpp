#include "rts/fabric/mpi_host.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <new>
#include <numeric>
#include <random>
#include <string>
#include <string_view>

#include <sys/mman.h>
#include <unistd.h>

namespace trawl::fabric {
namespace {

/// Shared memory is scarce in containers (64 MiB): the pipes of a host take about this at most.
constexpr std::size_t most_for_pipes = std::size_t{16} << 20U;
constexpr std::size_t most_lines = std::size_t{512 * 1024} / Pipe::line;
constexpr std::size_t fewest_lines = std::size_t{4 * 1024} / Pipe::line;

[[noreturn]] void fail(const std::string& doing, int code) {
  std::array<char, MPI_MAX_ERROR_STRING> text{};
  int length = 0;
  MPI_Error_string(code, text.data(), &length);
  throw Error("MPI failed " + doing + ": " + std::string(text.data()));
}

/// 0: no pipes.
std::size_t lines_of_a_pipe(std::size_t pes) {
  if (asked_for_tcp()) return 0;
  const auto lines = std::min(most_for_pipes / (pes * pes) / Pipe::line, most_lines);
  return lines < fewest_lines ? 0 : lines;
}

/// The PEs of `host`, in the order of their ranks there.
std::vector<int> pes_of(MPI_Comm world, MPI_Comm host) {
  int size = 0;
  MPI_Group in_host = MPI_GROUP_NULL;
  MPI_Group in_world = MPI_GROUP_NULL;
  check(MPI_Comm_size(host, &size), "to share memory");
  check(MPI_Comm_group(host, &in_host), "to share memory");
  check(MPI_Comm_group(world, &in_world), "to share memory");
  std::vector<int> ranks(static_cast<std::size_t>(size));
  std::iota(ranks.begin(), ranks.end(), 0);
  std::vector<int> pes(ranks.size());
  check(MPI_Group_translate_ranks(in_host, size, ranks.data(), in_world, pes.data()),
        "to share memory");
  return pes;
}

/// The least that any PE of the host says; all have come here.
long least(long own, MPI_Comm host) {
  long of_all = 0;
  check(MPI_Allreduce(&own, &of_all, 1, MPI_LONG, MPI_MIN, host), "to share memory");
  return of_all;
}

/// Shared memory is promised before it is there. Where it has run out, a pipe would end the
/// process.
bool is_there(void* memory, std::size_t size) {
  constexpr int populate_write = 23;  // MADV_POPULATE_WRITE, since Linux 5.14
  const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
  const auto from = reinterpret_cast<std::uintptr_t>(memory) / page * page;
  const auto to = reinterpret_cast<std::uintptr_t>(memory) + size;
  return madvise(reinterpret_cast<void*>(from), to - from, populate_write) == 0 || errno == EINVAL;
}

}  // namespace

void check(int code, const char* doing) {
  if (code != MPI_SUCCESS) fail(doing, code);
}

void check(int code, const char* doing, int pe) {
  if (code != MPI_SUCCESS) fail(doing + std::string(" PE ") + std::to_string(pe), code);
}

std::string_view environment(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr ? value : "";
}

// A list that begins with ^ says what not to use.
bool asked_for_tcp() {
  const auto transports = environment("UCX_TLS");
  return !transports.starts_with("^") && transports.find("tcp") != std::string_view::npos;
}

Neighbours::Neighbours(MPI_Comm world, MPI_Comm host) {
  int pes = 0;
  int neighbours = 0;
  check(MPI_Comm_size(world, &pes), "to share memory");
  check(MPI_Comm_rank(world, &self_), "to share memory");
  check(MPI_Comm_size(host, &neighbours), "to share memory");
  check(MPI_Comm_set_errhandler(host, MPI_ERRORS_RETURN), "to share memory");
  reach_.resize(static_cast<std::size_t>(pes));
  if (neighbours == 1) {
    are_all_ = pes == 1;
    return;
  }
  const auto count = static_cast<std::size_t>(neighbours);
  const auto lines =
      static_cast<std::size_t>(least(static_cast<long>(lines_of_a_pipe(count)), host));
  const auto size = sizeof(Front) + (lines == 0 ? 0 : count * Pipe::size(lines));
  void* own = nullptr;
  MPI_Win window = MPI_WIN_NULL;
  const bool allocated = MPI_Win_allocate_shared(static_cast<MPI_Aint>(size), 1, MPI_INFO_NULL,
                                                 host, &own, &window) == MPI_SUCCESS;
  if (allocated) new (own) Front();
  if (least(allocated ? 1 : 0, host) == 0) return;
  const bool room = least(is_there(own, size) ? 1 : 0, host) != 0;
  lay_out(world, host, window, room ? lines : 0);
  are_all_ = neighbours == pes;
}

// The kernel has cleared the memory: the pipes are empty as they are.
void Neighbours::lay_out(MPI_Comm world, MPI_Comm host, MPI_Win window, std::size_t lines) {
  const auto pes = pes_of(world, host);
  const auto own_rank =
      static_cast<std::size_t>(std::find(pes.begin(), pes.end(), self_) - pes.begin());
  const auto pipe = [lines](Front* front, std::size_t from) -> Pipe& {
    auto* pipes = reinterpret_cast<std::byte*>(front + 1);
    return *reinterpret_cast<Pipe*>(pipes + from * Pipe::size(lines));
  };
  std::vector<Front*> fronts(pes.size());
  for (std::size_t rank = 0; rank < pes.size(); ++rank) {
    MPI_Aint size = 0;
    int unit = 0;
    void* there = nullptr;
    check(MPI_Win_shared_query(window, static_cast<int>(rank), &size, &unit, &there),
          "to share memory");
    fronts[rank] = static_cast<Front*>(there);
    auto& reach = reach_[static_cast<std::size_t>(pes[rank])];
    reach.bell = &fronts[rank]->bell;
    reach.announced = &fronts[rank]->announced;
    if (lines == 0 || rank == own_rank) continue;
    reach.pipe.emplace(pipe(fronts[rank], own_rank), lines);
  }
  for (std::size_t rank = 0; lines != 0 && rank < pes.size(); ++rank)
    if (rank != own_rank)
      inlets_.push_back(std::make_unique<Inlet>(pes[rank], pipe(fronts[own_rank], rank), lines));
}

bool Neighbours::send(int to, std::span<const std::byte> message) noexcept {
  auto& pipe = reach_[static_cast<std::size_t>(to)].pipe;
  return pipe && pipe->write(message);
}

std::optional<Arrival> Neighbours::receive() {
  for (std::size_t i = 0; i < inlets_.size(); ++i) {
    auto& inlet = *inlets_[next_inlet_];
    next_inlet_ = next_inlet_ + 1 == inlets_.size() ? 0 : next_inlet_ + 1;
    try {
      if (const auto message = inlet.pipe.read()) return Arrival{inlet.pe, *message};
    } catch (const BadBytes& e) {
      throw BadBytes("bad message from PE " + std::to_string(inlet.pe) + ": " + e.what());
    }
  }
  return std::nullopt;
}

void Neighbours::announce_mpi(int to) noexcept {
  if (auto* count = reach(to).announced) count->fetch_add(1);
}

void Neighbours::count_mpi(int from) noexcept {
  if (reach(from).announced != nullptr) counted_.fetch_add(1, std::memory_order_relaxed);
}

bool Neighbours::expects_mpi() const noexcept {
  const auto* announced = reach(self_).announced;
  return announced != nullptr && announced->load() != counted_.load(std::memory_order_relaxed);
}

bool Neighbours::waiting() const noexcept {
  return expects_mpi() || std::any_of(inlets_.begin(), inlets_.end(),
                                      [](const auto& inlet) { return !inlet->pipe.empty(); });
}

Memory shared_memory(MPI_Comm world, MPI_Comm host) {
  struct Member {
    int pe;
    pid_t process;
    const std::uint64_t* mark;
    std::uint64_t marked;
  };
  int pes = 0;
  int neighbours = 0;
  Member self{};
  check(MPI_Comm_size(world, &pes), "to share memory");
  check(MPI_Comm_rank(world, &self.pe), "to share memory");
  check(MPI_Comm_size(host, &neighbours), "to share memory");
  const std::uint64_t mark = std::random_device()();
  self.process = getpid();
  self.mark = &mark;
  self.marked = mark;
  std::vector<Member> members(static_cast<std::size_t>(neighbours));
  check(MPI_Allgather(&self, sizeof self, MPI_BYTE, members.data(), sizeof self, MPI_BYTE, host),
        "to share memory");
  std::vector<pid_t> processes(static_cast<std::size_t>(pes));
  for (const Member& member : members)
    processes[static_cast<std::size_t>(member.pe)] = member.process;
  Memory memory(processes);
  int all = asked_for_tcp() ? 0 : 1;
  for (const Member& member : members) {
    std::uint64_t seen = 0;
    try {
      if (all != 0)
        memory.read(member.pe, reinterpret_cast<std::uintptr_t>(member.mark),
                    std::as_writable_bytes(std::span(&seen, 1)));
    } catch (const std::exception&) {  // forbidden, or another process namespace
    }
    if (seen != member.marked) all = 0;
  }
  // Also: nobody goes on, and his mark away, before all have looked.
  check(MPI_Allreduce(MPI_IN_PLACE, &all, 1, MPI_INT, MPI_MIN, host), "to share memory");
  return all != 0 ? memory : Memory();
}

}  // namespace trawl::fabric
