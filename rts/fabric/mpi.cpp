#include "rts/fabric/mpi.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <new>
#include <numeric>
#include <random>
#include <span>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <dlfcn.h>
#include <ifaddrs.h>
#include <mpi.h>
#include <net/if.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

namespace trawl::fabric {
namespace {

/// Longer ones wait unread in MPI's own memory, shorter ones cost more calls (README.md).
constexpr std::size_t message_limit = 128 * 1024;

/// How many unfinished requests one poll looks at: with thousands under way it still returns soon.
constexpr std::size_t tests_per_poll = 4;

constexpr int tag = 0;

[[noreturn]] void fail(const std::string& doing, int code) {
  std::array<char, MPI_MAX_ERROR_STRING> text{};
  int length = 0;
  MPI_Error_string(code, text.data(), &length);
  throw Error("MPI failed " + doing + ": " + std::string(text.data()));
}

void check(int code, const char* doing) {
  if (code != MPI_SUCCESS) fail(doing, code);
}

void check(int code, const char* doing, int pe) {
  if (code != MPI_SUCCESS) fail(doing + std::string(" PE ") + std::to_string(pe), code);
}

/// A transfer MPI has not finished: `bytes` stay where they are until it has.
struct Transfer {
  int pe;
  MPI_Request request;
  Bytes bytes;

  bool done(const char* doing) {
    int flag = 0;
    check(MPI_Test(&request, &flag, MPI_STATUS_IGNORE), doing, pe);
    return flag != 0;
  }
};

std::string_view environment(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

/// Did the user ask for it? A list that begins with ^ says what not to use.
bool ucx_uses_tcp() {
  const auto transports = environment("UCX_TLS");
  return !transports.starts_with("^") && transports.find("tcp") != std::string_view::npos;
}

/// The bells of the PEs that share memory with this one.
class Bells {
 public:
  Bells() = default;

  /// To be called by all PEs of `host` together. Without shared memory there are no bells, only
  /// more looking.
  Bells(MPI_Comm world, MPI_Comm host) {
    int pes = 0;
    int neighbours = 0;
    check(MPI_Comm_size(world, &pes), "to share memory");
    check(MPI_Comm_size(host, &neighbours), "to share memory");
    check(MPI_Comm_set_errhandler(host, MPI_ERRORS_RETURN), "to share memory");
    void* own = nullptr;
    MPI_Win window = MPI_WIN_NULL;
    if (MPI_Win_allocate_shared(sizeof(Bell), 1, MPI_INFO_NULL, host, &own, &window) != MPI_SUCCESS)
      return;
    new (own) Bell();
    check(MPI_Barrier(host), "to share memory");

    std::vector<int> ranks(static_cast<std::size_t>(neighbours));
    std::iota(ranks.begin(), ranks.end(), 0);
    std::vector<int> names(ranks.size());
    MPI_Group in_host = MPI_GROUP_NULL;
    MPI_Group in_world = MPI_GROUP_NULL;
    check(MPI_Comm_group(host, &in_host), "to share memory");
    check(MPI_Comm_group(world, &in_world), "to share memory");
    check(MPI_Group_translate_ranks(in_host, neighbours, ranks.data(), in_world, names.data()),
          "to share memory");
    bells_.resize(static_cast<std::size_t>(pes));
    for (const int rank : ranks) {
      MPI_Aint size = 0;
      int unit = 0;
      void* there = nullptr;
      check(MPI_Win_shared_query(window, rank, &size, &unit, &there), "to share memory");
      const auto pe = static_cast<std::size_t>(names[static_cast<std::size_t>(rank)]);
      bells_[pe] = static_cast<Bell*>(there);
    }
    for_all_ = neighbours == pes;
  }

  /// nullptr: it has none that we could ring.
  Bell* of(int pe) const noexcept {
    return bells_.empty() ? nullptr : bells_[static_cast<std::size_t>(pe)];
  }
  bool for_all() const noexcept { return for_all_; }

 private:
  std::vector<Bell*> bells_;  // by PE
  bool for_all_ = false;
};

/// The processes of the PEs of `host`, if they can all read each other's memory. To be called by
/// all of them together. Asking UCX for TCP rehearses several hosts: then nothing is shared.
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
  int all = ucx_uses_tcp() ? 0 : 1;
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

class Mpi final : public Fabric {
 public:
  Mpi(Bells bells, Memory memory) : bells_(std::move(bells)) {
    share_memory(std::move(memory));
    check(MPI_Comm_dup(MPI_COMM_WORLD, &comm_), "to set up communication");
    check(MPI_Comm_set_errhandler(comm_, MPI_ERRORS_RETURN), "to set up communication");
    check(MPI_Comm_rank(comm_, &self_), "to set up communication");
    check(MPI_Comm_size(comm_, &size_), "to set up communication");
    if (Bell* own = bells_.of(self_)) share_bell(*own);
  }

  int self() const noexcept override { return self_; }
  int size() const noexcept override { return size_; }
  std::size_t limit() const noexcept override { return message_limit; }

  void send(int to, Bytes message) override {
    if (message.size() > message_limit) throw Error("a message is longer than the fabric's limit");
    Transfer transfer{to, MPI_REQUEST_NULL, std::move(message)};
    check(MPI_Isend(transfer.bytes.data(), static_cast<int>(transfer.bytes.size()), MPI_BYTE, to,
                    tag, comm_, &transfer.request),
          "to send to", to);
    if (!transfer.done("to send to")) sending_.push_back(std::move(transfer));
    if (Bell* bell = bells_.of(to)) bell->ring();
  }

  std::optional<Arrival> poll() override {
    finish_sends(tests_per_poll);
    auto arrival = finish_receive();
    if (!arrival) arrival = begin_receive();
    if (arrival && bells_.of(arrival->from) != nullptr) ++letters_received_;
    return arrival;
  }

  bool all_ring() const noexcept override { return bells_.for_all(); }

  bool under_way() const noexcept override {
    const Bell* own = bells_.of(self_);
    return !sending_.empty() || (own != nullptr && own->letters() != letters_received_);
  }

  bool flushed() override {
    finish_sends(sending_.size());
    return sending_.empty();
  }

  Nanos now() const noexcept override {
    return std::chrono::nanoseconds(std::chrono::steady_clock::now().time_since_epoch()).count();
  }

 private:
  /// Goes round all sends, so that one to a dead PE keeps no other from being finished.
  void finish_sends(std::size_t tests) {
    for (; tests > 0 && !sending_.empty(); --tests) {
      auto transfer = std::move(sending_.front());
      sending_.pop_front();
      if (!transfer.done("to send to")) sending_.push_back(std::move(transfer));
    }
  }

  std::optional<Arrival> finish_receive() {
    for (auto tests = std::min(tests_per_poll, receiving_.size()); tests > 0; --tests) {
      auto transfer = std::move(receiving_.front());
      receiving_.pop_front();
      if (transfer.done("to receive from")) return Arrival{transfer.pe, std::move(transfer.bytes)};
      receiving_.push_back(std::move(transfer));
    }
    return std::nullopt;
  }

  /// Never waits for the rest of a long message: its sender may be busy, or dead.
  std::optional<Arrival> begin_receive() {
    int found = 0;
    MPI_Message message;
    MPI_Status status;
    check(MPI_Improbe(MPI_ANY_SOURCE, tag, comm_, &found, &message, &status),
          "to look for messages");
    if (found == 0) return std::nullopt;
    const int from = status.MPI_SOURCE;
    int count = 0;
    check(MPI_Get_count(&status, MPI_BYTE, &count), "to receive from", from);
    Transfer transfer{from, MPI_REQUEST_NULL, Bytes(static_cast<std::size_t>(count))};
    check(MPI_Imrecv(transfer.bytes.data(), count, MPI_BYTE, &message, &transfer.request),
          "to receive from", from);
    if (transfer.done("to receive from")) return Arrival{from, std::move(transfer.bytes)};
    receiving_.push_back(std::move(transfer));
    return std::nullopt;
  }

  Bells bells_;
  MPI_Comm comm_ = MPI_COMM_NULL;
  int self_ = 0;
  int size_ = 0;
  std::uint32_t letters_received_ = 0;
  std::deque<Transfer> sending_;
  std::deque<Transfer> receiving_;
};

/// The network device that carries traffic to other hosts: the one of the default route, else the
/// first that is up and has an address.
std::string outward_device() {
  std::ifstream routes("/proc/net/route");
  std::string line;
  while (std::getline(routes, line)) {
    std::istringstream fields(line);
    std::string device, destination;
    if (fields >> device >> destination && destination == "00000000") return device;
  }
  std::string device;
  ifaddrs* all = nullptr;
  if (getifaddrs(&all) != 0) return device;
  for (const auto* each = all; each != nullptr && device.empty(); each = each->ifa_next) {
    const bool up = (each->ifa_flags & IFF_UP) != 0 && (each->ifa_flags & IFF_LOOPBACK) == 0;
    if (up && each->ifa_addr && each->ifa_addr->sa_family == AF_INET) device = each->ifa_name;
  }
  freeifaddrs(all);
  return device;
}

/// UCX over TCP stalls when it has several network devices to choose from: names one, where TCP may
/// be what carries messages and the user named none.
void choose_network_device() {
  if (std::getenv("UCX_NET_DEVICES")) return;
  const auto transports = environment("UCX_TLS");
  const bool one_host =
      !environment("PMI_SIZE").empty() && environment("PMI_SIZE") == environment("MPI_LOCALNRANKS");
  std::error_code none;
  const bool fast_network = std::filesystem::exists("/sys/class/infiniband", none);
  const bool tcp = transports.empty() ? !one_host && !fast_network : ucx_uses_tcp();
  if (!tcp) return;
  const auto device = one_host ? std::string("lo") : outward_device();
  if (!device.empty()) setenv("UCX_NET_DEVICES", device.c_str(), 0);
}

/// UCX's rendezvous reads a long message out of its sender's memory: if the sender dies meanwhile,
/// the receiver is aborted or, without cross-memory attach, gets wrong bytes. Sending all eagerly
/// is also several times faster up to the limit (README.md, Measured).
void avoid_rendezvous() {
  setenv("UCX_RNDV_THRESH", "inf", 0);
}

/// The PEs of this host.
MPI_Comm host_of_this_pe() {
  MPI_Comm host = MPI_COMM_NULL;
  check(MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &host),
        "to find the PEs of this host");
  return host;
}

Place find_place(MPI_Comm host) {
  Place place{1, 0};
  check(MPI_Comm_size(host, &place.pes_on_host), "to find the PEs of this host");
  check(MPI_Comm_rank(host, &place.index_on_host), "to find the PEs of this host");
  return place;
}

/// Says goodbye in the launcher's own protocol (PMI 1), as MPI_Finalize would at its very end.
/// Without it hydra takes an exit for a crash and kills the other PEs.
void finalize_pmi() {
  const auto text = environment("PMI_FD");
  int fd = -1;
  if (std::from_chars(text.data(), text.data() + text.size(), fd).ec != std::errc()) return;
  constexpr std::string_view goodbye = "cmd=finalize\n";
  if (write(fd, goodbye.data(), goodbye.size()) != static_cast<ssize_t>(goodbye.size())) return;
  pollfd answer{fd, POLLIN, 0};
  constexpr int patience_ms = 1000;
  ::poll(&answer, 1, patience_ms);
}

}  // namespace

bool under_mpiexec() {
  for (const char* name : {"PMI_RANK", "PMI_FD", "PMI_PORT", "PMIX_RANK", "OMPI_COMM_WORLD_RANK"}) {
    if (std::getenv(name)) return true;
  }
  return false;
}

Joined make_mpi() {
  int provided = MPI_THREAD_SINGLE;
  int started = 0;
  check(MPI_Initialized(&started), "to start");
  if (started != 0) {  // by a program that uses MPI itself
    check(MPI_Query_thread(&provided), "to start");
  } else {
    choose_network_device();
    avoid_rendezvous();
    check(MPI_Init_thread(nullptr, nullptr, MPI_THREAD_SERIALIZED, &provided), "to start");
  }
  if (provided < MPI_THREAD_SERIALIZED) {
    throw Error("this MPI does not offer MPI_THREAD_SERIALIZED, which Trawl needs");
  }
  check(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN), "to start");
  const MPI_Comm host = host_of_this_pe();
  return {std::make_unique<Mpi>(Bells(MPI_COMM_WORLD, host), shared_memory(MPI_COMM_WORLD, host)),
          find_place(host)};
}

void leave(int code) {
  std::cout.flush();
  std::fflush(nullptr);
  int initialised = 0;
  MPI_Initialized(&initialised);
  if (initialised != 0) finalize_pmi();
  _exit(code);
}

void disarm_ucx_signals() {
  if (std::getenv("UCX_ERROR_SIGNALS")) return;
  if (void* disable = dlsym(RTLD_DEFAULT, "ucs_debug_disable_signals")) {
    reinterpret_cast<void (*)()>(disable)();
  }
}

}  // namespace trawl::fabric
