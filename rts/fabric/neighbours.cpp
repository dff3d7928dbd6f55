#include "rts/fabric/neighbours.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <fstream>
#include <functional>
#include <map>
#include <random>
#include <string>
#include <utility>

#include <fcntl.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "rts/inline/error.hpp"

namespace trawl::fabric {
namespace {

/// The pipes of a host take about this at most.
constexpr std::size_t most_for_pipes = std::size_t{16} << 20U;
constexpr std::size_t most_lines = std::size_t{512 * 1024} / Pipe::line;
constexpr std::size_t fewest_lines = std::size_t{4 * 1024} / Pipe::line;

/// 0: no pipes.
std::size_t lines_of_a_pipe(std::size_t pes, Pipes pipes) {
  const auto lines = std::min(most_for_pipes / (pes * pes) / Pipe::line, most_lines);
  if (lines >= fewest_lines) return lines;
  return pipes == Pipes::always ? fewest_lines : 0;
}

/// Where processes see each other's /proc, and process ids mean the same.
std::uint64_t this_kernel(HostIs host) {
  std::ifstream file("/proc/sys/kernel/random/boot_id");
  std::string boot;
  struct stat processes {};
  if (!(file >> boot) || stat("/proc/self/ns/pid", &processes) != 0) return std::random_device()();
  struct stat network {};
  if (host == HostIs::kernel_and_network) stat("/proc/self/ns/net", &network);
  return std::hash<std::string>()(boot + std::to_string(processes.st_ino) +
                                  (host == HostIs::kernel ? "" : std::to_string(network.st_ino)));
}

std::string memory_name(std::uint64_t mark) {
  return "trawl-" + std::to_string(mark);
}

/// The memory that a card of this host offers; -1: it can't be opened. By its name, as the card of
/// another host that looks like this one may be of any process here.
int open_memory(const Card& card, const std::vector<std::uint64_t>& marks) {
  const auto path = "/proc/" + std::to_string(card.process) + "/fd/" + std::to_string(card.memory);
  std::array<char, 256> name{};
  if (readlink(path.c_str(), name.data(), name.size() - 1) < 0) return -1;
  const bool ours = std::any_of(marks.begin(), marks.end(), [&](std::uint64_t mark) {
    return name.data() == "/memfd:" + memory_name(mark) + " (deleted)";
  });
  return ours ? open(path.c_str(), O_RDWR | O_CLOEXEC) : -1;
}

/// Memory that all PEs of a host see, all zeros; nullptr: there is none. Whoever is first makes it
/// that large.
std::byte* map_memory(int file, std::size_t size) {
  void* memory = MAP_FAILED;
  // Where files may not be that large a signal would end the process before it can say why.
  auto* const before = std::signal(SIGXFSZ, SIG_IGN);
  const bool is_large = ftruncate(file, static_cast<off_t>(size)) == 0;
  std::signal(SIGXFSZ, before);
  if (is_large) memory = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  return memory == MAP_FAILED ? nullptr : static_cast<std::byte*>(memory);
}

constinit std::atomic<std::atomic<std::uint32_t>*> own_leaving{nullptr};

}  // namespace

Card make_card(std::uint64_t says, HostIs host) {
  static std::uint64_t mark;
  std::random_device random;
  mark = std::uint64_t{random()} << 32U | random();
  Card card;
  card.kernel = this_kernel(host);
  card.mark = mark;
  card.mark_at = &mark;
  card.process = getpid();
  card.memory = memfd_create(memory_name(mark).c_str(), MFD_CLOEXEC);
  card.pipes = 1;
  card.says = says;
  return card;
}

std::size_t shortest_pipe(const std::vector<Card>& cards) {
  std::map<std::uint64_t, std::size_t> pes;
  std::size_t most = 0;
  for (const auto& card : cards) most = std::max(most, ++pes[card.kernel]);
  return most < 2 ? 0 : PipeWriter::limit(lines_of_a_pipe(most, Pipes::always));
}

std::size_t pipe_for(std::size_t pes) {
  return PipeWriter::limit(lines_of_a_pipe(pes, Pipes::always));
}

Neighbours::Neighbours(int self, const std::vector<Card>& cards, Pipes pipes, bool admits)
    : self_(self),
      reach_(cards.size()),
      admits_(admits),
      kernel_(cards[static_cast<std::size_t>(self)].kernel) {
  const auto card = [&cards](int pe) -> const Card& { return cards[static_cast<std::size_t>(pe)]; };
  bool may_have_pipes = true;
  bool all = true;
  for (int pe = 0; pe < static_cast<int>(cards.size()); ++pe) {
    all = all && (card(pe).kernel == kernel_ || card(pe).kernel == 0);
    if (card(pe).kernel != kernel_) continue;
    pes_.push_back(pe);
    may_have_pipes = may_have_pipes && card(pe).pipes != 0;
  }
  are_all_ = admits ? all : cards.size() == 1;
  const auto places = admits ? cards.size() : pes_.size();
  ended_.reserve(cards.size());  // who notes them can't get more
  if (places > 1) {
    lines_ = may_have_pipes ? lines_of_a_pipe(places, pipes) : 0;
    part_ = sizeof(Front) + (lines_ == 0 ? 0 : places * Pipe::size(lines_));
    const auto size = places * part_;
    if ((memory_ = find_memory(cards, size + board_size)) != nullptr) {
      inlets_.reserve(places);
      lay_out();
      board_ = {memory_ + size, board_size};
    }
  }
  if (!admits && (self != pes_.front() || count() == 1)) close(card(self).memory);
  if (reach(self).front == nullptr) return;
  const bool all_watch = pipes == Pipes::always;  // nobody else would tell
  for (const int pe : pes_)
    if (pe != self && (all_watch || self == pes_.front() || pe == pes_.front()))
      watch(pe, card(pe));
  wait_for_first();
}

// The first PE's. Of those who come later that may have gone: then it is what others have of it,
// and who is alone makes his own.
std::byte* Neighbours::find_memory(const std::vector<Card>& cards, std::size_t size) {
  const auto card = [&cards](int pe) -> const Card& { return cards[static_cast<std::size_t>(pe)]; };
  if (!admits_) {
    const int file = open_memory(card(pes_.front()), {card(pes_.front()).mark});
    auto* memory = file < 0 ? nullptr : map_memory(file, size);
    if (file >= 0) close(file);
    return memory;
  }
  std::vector<std::uint64_t> marks;
  for (const int pe : pes_)
    if (pe <= self_) marks.push_back(card(pe).mark);
  for (const int pe : pes_) {
    const int file = pe > self_ ? -1 : open_memory(card(pe), marks);
    if (file < 0) continue;
    // In its place others will find the same.
    if (pe != self_) dup3(file, card(self_).memory, O_CLOEXEC);
    close(file);
    return map_memory(card(self_).memory, size);
  }
  return nullptr;
}

// For as long as the process lives, as a rule: its threads may be anywhere.
Neighbours::~Neighbours() = default;

Neighbours::Front* Neighbours::front(std::size_t index) const noexcept {
  return reinterpret_cast<Front*>(memory_ + index * part_);
}

Pipe& Neighbours::pipe(std::size_t to, std::size_t from) const noexcept {
  auto* pipes = reinterpret_cast<std::byte*>(front(to) + 1);
  return *reinterpret_cast<Pipe*>(pipes + from * Pipe::size(lines_));
}

// Where some may come each has the place of its number.
std::size_t Neighbours::index_of(int pe) const noexcept {
  if (admits_) return static_cast<std::size_t>(pe);
  return static_cast<std::size_t>(std::find(pes_.begin(), pes_.end(), pe) - pes_.begin());
}

// The kernel has cleared the memory: fronts and pipes are as they should be.
void Neighbours::lay_out() {
  for (const int pe : pes_) reach_out(pe);
  front(index_of(self_))->attached = 1;
  if (lines_ == 0) return;
  own_leaving = &front(index_of(self_))->leaving;
}

void Neighbours::reach_out(int pe) {
  const auto index = index_of(pe);
  const auto own = index_of(self_);
  auto& reach = reach_[static_cast<std::size_t>(pe)];
  reach.front = front(index);
  if (lines_ == 0 || pe == self_) return;
  reach.pipe.emplace(pipe(index, own), lines_);
  inlets_.push_back(std::make_unique<Inlet>(pe, pipe(own, index), lines_));
  inlet_count_.store(inlets_.size(), std::memory_order_release);
}

void Neighbours::add(int pe, const Card& card) {
  if (card.kernel != kernel_) {
    are_all_ = false;
    return;
  }
  if (memory_ == nullptr || reach(pe).front != nullptr) return;
  pes_.push_back(pe);
  reach_out(pe);
  watch(pe, card);
}

// Else the first message would go another way, which may have to be found at that time.
void Neighbours::wait_for_first() const {
  const auto* first = reach(pes_.front()).front;
  wait_until([first] { return first->attached != 0; }, std::chrono::seconds(1));
}

bool Neighbours::all_here() const noexcept {
  if (pes_.size() != reach_.size()) return false;
  for (const auto& each : reach_)
    if (each.front == nullptr || each.front->attached == 0) return false;
  are_all_ = true;
  return true;
}

// A process id may be given again, but not within the moment since the card was written.
void Neighbours::watch(int pe, const Card& card) {
  const auto process = static_cast<int>(syscall(SYS_pidfd_open, card.process, 0));
  if (process < 0) {
    if (errno == ESRCH) ended_.push_back(pe);
    return;  // or the kernel can't: then its silence will tell
  }
  if (watched_ < 0) watched_ = epoll_create1(EPOLL_CLOEXEC);
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.u64 = static_cast<std::uint64_t>(process) << 32U | static_cast<std::uint32_t>(pe);
  if (epoll_ctl(watched_, EPOLL_CTL_ADD, process, &event) != 0) close(process);
}

std::optional<Neighbours::Ended> Neighbours::ended() noexcept {
  epoll_event event{};
  while (watched_ >= 0 && epoll_wait(watched_, &event, 1, 0) == 1) {
    const auto process = static_cast<int>(event.data.u64 >> 32U);
    epoll_ctl(watched_, EPOLL_CTL_DEL, process, nullptr);
    close(process);
    ended_.push_back(static_cast<int>(event.data.u64 & 0xffff'ffffU));
  }
  if (ended_.empty()) return std::nullopt;
  const int pe = ended_.back();
  ended_.pop_back();
  return Ended{pe, reach(pe).front->leaving != 0};
}

void Neighbours::say_leaving() noexcept {
  if (auto* leaving = own_leaving.load()) *leaving = 1;
}

bool Neighbours::send(int to, std::span<const std::byte> message) noexcept {
  auto& there = reach_[static_cast<std::size_t>(to)];
  return there.pipe && there.front->attached.load(std::memory_order_relaxed) != 0 &&
         there.pipe->write(message);
}

std::optional<Arrival> Neighbours::receive() {
  const auto count = inlets();
  for (std::size_t i = 0; i < count; ++i) {
    auto& inlet = *inlets_[next_inlet_];
    next_inlet_ = next_inlet_ + 1 == count ? 0 : next_inlet_ + 1;
    try {
      if (const auto message = inlet.pipe.read()) return Arrival{inlet.pe, *message};
    } catch (const BadBytes& e) {
      throw BadBytes("bad message from PE " + std::to_string(inlet.pe) + ": " + e.what());
    }
  }
  return std::nullopt;
}

void Neighbours::announce(int to) noexcept {
  if (auto* front = reach(to).front) front->announced.fetch_add(1);
}

void Neighbours::count_other(int from) noexcept {
  if (reach(from).front != nullptr) counted_.fetch_add(1, std::memory_order_relaxed);
}

bool Neighbours::expects_other() const noexcept {
  const auto* own = reach(self_).front;
  return own != nullptr && own->announced.load() != counted_.load(std::memory_order_relaxed);
}

bool Neighbours::waiting() const noexcept {
  if (expects_other()) return true;
  const auto count = inlets();
  for (std::size_t i = 0; i < count; ++i)
    if (!inlets_[i]->pipe.empty()) return true;
  return false;
}

Joined Neighbours::joined(std::unique_ptr<Fabric> fabric, const std::vector<Card>& cards) const {
  Joined joined{std::move(fabric), {count()}};
  for (const int pe : pes_)
    joined.place.processes.push_back(cards[static_cast<std::size_t>(pe)].process);
  if (pes_.size() == cards.size()) joined.board = board_;
  const auto own = cards[static_cast<std::size_t>(self_)].says;
  for (const auto& card : cards) joined.said.push_back(card.kernel == 0 ? own : card.says);
  return joined;
}

// Also where process ids of another namespace are taken for ours, or reading is forbidden.
Memory Neighbours::memory(const std::vector<Card>& cards) const {
  auto* own = reach(self_).front;
  if (own == nullptr || cards[static_cast<std::size_t>(self_)].pipes == 0) return {};
  std::vector<pid_t> processes(cards.size());
  std::vector<const std::atomic<std::uint32_t>*> willing(cards.size());
  for (const int pe : pes_) {
    processes[static_cast<std::size_t>(pe)] = cards[static_cast<std::size_t>(pe)].process;
    willing[static_cast<std::size_t>(pe)] = &reach(pe).front->reads;
  }
  const Memory all(processes);
  for (const int pe : pes_) {
    const auto& card = cards[static_cast<std::size_t>(pe)];
    std::uint64_t seen = 0;
    try {
      all.read(pe, reinterpret_cast<std::uintptr_t>(card.mark_at),
               std::as_writable_bytes(std::span(&seen, 1)));
    } catch (const std::exception&) {
      return {};
    }
    if (seen != card.mark) return {};
  }
  own->reads = 1;
  return Memory(std::move(processes), std::move(willing));
}

}  // namespace trawl::fabric
