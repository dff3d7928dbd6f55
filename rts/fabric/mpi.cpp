#include "rts/fabric/mpi.hpp"

#include <algorithm>
#include <deque>
#include <string>
#include <utility>
#include <vector>

#include <mpi.h>

#include "rts/fabric/launcher.hpp"
#include "rts/fabric/lean_start.hpp"
#include "rts/fabric/mpi_calls.hpp"
#include "rts/fabric/neighbours.hpp"
#include "rts/fabric/ucx.hpp"
#include "rts/host/clocks.hpp"

namespace trawl::fabric {
namespace {

/// Longer ones wait unread in MPI's own memory, shorter ones cost more calls (README.md).
constexpr std::size_t message_limit = 128 * 1024;

/// How many unfinished requests one poll looks at: with thousands under way it still returns soon.
constexpr std::size_t tests_per_poll = 4;

/// So often MPI is asked before the pipes are, and, at the start and once a message of ours went
/// there, whether one has been announced or not: neither waits for ever behind the other, and UCX
/// gets round to what it has kept of our own.
constexpr unsigned polls_between_mpi = 16;
constexpr std::uint64_t polls_at_start = 1U << 14U;

constexpr int tag = 0;

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

class Mpi final : public Fabric {
 public:
  Mpi(MPI_Comm comm, int self, const std::vector<Card>& cards)
      : neighbours_(self, cards, Pipes::where_wide),
        comm_(comm),
        self_(self),
        size_(static_cast<int>(cards.size())) {
    share_memory(neighbours_.memory(cards));
    unsent_.resize(static_cast<std::size_t>(size_));
    if (progress::EventCount* own = neighbours_.events(self_)) share_events(*own);
  }

  const Neighbours& neighbours() const noexcept { return neighbours_; }

  int self() const noexcept override { return self_; }
  int size() const noexcept override { return size_; }
  std::size_t limit() const noexcept override { return message_limit; }

  void send(int to, std::span<const std::byte> message) override {
    if (message.size() > message_limit) throw Error("a message is longer than the fabric's limit");
    if (!neighbours_.send(to, message)) send_by_mpi(to, message);
    if (progress::EventCount* events = neighbours_.events(to)) events->notify();
  }

  std::optional<Arrival> poll() override {
    finish_sends(tests_per_poll);
    const bool expects_mpi = !neighbours_.are_all() || neighbours_.expects_other();
    const bool uses_mpi = expects_mpi || sent_by_mpi_ || polls_ < polls_at_start;
    const bool first_mpi = ++polls_ % polls_between_mpi == 0 && uses_mpi;
    if (first_mpi)
      if (const auto arrival = receive_by_mpi()) return arrival;
    if (const auto arrival = neighbours_.receive()) return arrival;
    return expects_mpi && !first_mpi ? receive_by_mpi() : std::nullopt;
  }

  bool all_notify() const noexcept override { return neighbours_.are_all(); }
  bool waiting() const noexcept override { return neighbours_.waiting(); }

  bool under_way() const noexcept override { return !sending_.empty(); }
  std::optional<Dead> dead() override {
    while (const auto ended = neighbours_.ended())
      if (!ended->left) return Dead{ended->pe};
    return std::nullopt;
  }
  std::size_t unsent(int to) const noexcept override {
    return unsent_[static_cast<std::size_t>(to)];
  }

  bool flushed() override {
    finish_sends(sending_.size());
    return sending_.empty();
  }

  Nanos now() const noexcept override { return wall_time(); }

 private:
  void send_by_mpi(int to, std::span<const std::byte> message) {
    Transfer transfer{to, MPI_REQUEST_NULL, copy_of(message)};
    // Before it can be received: else another's announcement would count for it.
    neighbours_.announce(to);
    sent_by_mpi_ = true;
    check(MPI_Isend(transfer.bytes.data(), static_cast<int>(transfer.bytes.size()), MPI_BYTE, to,
                    tag, comm_, &transfer.request),
          "to send to", to);
    if (transfer.done("to send to")) return;
    unsent_[static_cast<std::size_t>(to)] += message.size();
    sending_.push_back(std::move(transfer));
  }

  std::optional<Arrival> receive_by_mpi() {
    auto arrival = finish_receive();
    if (!arrival) arrival = begin_receive();
    if (arrival) neighbours_.count_other(arrival->from);
    return arrival;
  }

  /// Goes round all sends, so that one to a dead PE keeps no other from being finished.
  void finish_sends(std::size_t tests) {
    for (; tests > 0 && !sending_.empty(); --tests) {
      auto transfer = std::move(sending_.front());
      sending_.pop_front();
      if (transfer.done("to send to"))
        unsent_[static_cast<std::size_t>(transfer.pe)] -= transfer.bytes.size();
      else
        sending_.push_back(std::move(transfer));
    }
  }

  std::optional<Arrival> finish_receive() {
    for (auto tests = std::min(tests_per_poll, receiving_.size()); tests > 0; --tests) {
      auto transfer = std::move(receiving_.front());
      receiving_.pop_front();
      if (transfer.done("to receive from")) return arrived(std::move(transfer));
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
    if (transfer.done("to receive from")) return arrived(std::move(transfer));
    receiving_.push_back(std::move(transfer));
    return std::nullopt;
  }

  Arrival arrived(Transfer transfer) {
    received_ = std::move(transfer.bytes);
    return {transfer.pe, received_};
  }

  Neighbours neighbours_;
  MPI_Comm comm_;
  int self_;
  int size_;
  std::uint64_t polls_ = 0;
  bool sent_by_mpi_ = false;
  std::deque<Transfer> sending_;
  std::vector<std::size_t> unsent_;  // bytes in `sending_`, by PE
  std::deque<Transfer> receiving_;
  Bytes received_;  // the last message
};

}  // namespace

Joined make_mpi(std::uint64_t says) {
  int provided = MPI_THREAD_SINGLE;
  int started = 0;
  check(MPI_Initialized(&started), "to start");
  if (started != 0) {  // by a program that uses MPI itself
    check(MPI_Query_thread(&provided), "to start");
  } else {
    choose_network_device();
    avoid_rendezvous();
    const LeanStart lean;
    check(MPI_Init_thread(nullptr, nullptr, MPI_THREAD_SERIALIZED, &provided), "to start");
  }
  note_hello();
  if (provided < MPI_THREAD_SERIALIZED) {
    throw Error("this MPI does not offer MPI_THREAD_SERIALIZED, which Trawl needs", 2);
  }
  // A communicator of our own takes several rounds of messages.
  MPI_Comm comm = MPI_COMM_WORLD;
  if (started != 0) check(MPI_Comm_dup(MPI_COMM_WORLD, &comm), "to start");
  check(MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN), "to start");
  int self = 0;
  check(MPI_Comm_rank(comm, &self), "to start");
  auto own = make_card(says, HostIs::kernel);
  own.pipes = asked_for_tcp() ? 0 : 1;
  const auto cards = exchange_cards(comm, own);
  auto fabric = std::make_unique<Mpi>(comm, self, cards);
  const auto& neighbours = fabric->neighbours();
  return neighbours.joined(std::move(fabric), cards);
}

}  // namespace trawl::fabric
