#include "rts/fabric/net/net.hpp"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <deque>
#include <memory>
#include <utility>
#include <vector>

#include <unistd.h>

#include "rts/fabric/launcher.hpp"
#include "rts/fabric/neighbours.hpp"
#include "rts/fabric/net/links.hpp"
#include "rts/fabric/net/pmi.hpp"
#include "rts/fabric/process_end.hpp"
#include "rts/host/clocks.hpp"
#include "rts/inline/error.hpp"

namespace trawl::fabric {
namespace net {
namespace {

/// So often connections are looked at before pipes are: neither waits for ever behind the other.
constexpr unsigned polls_between_links = 16;

std::vector<Card> cards_of(const std::vector<Member>& members) {
  std::vector<Card> cards;
  for (const auto& member : members)
    cards.push_back(member.is == Member::Is::to_come ? Card() : member.card);
  return cards;
}

/// Fragments are of this length, at whoever sends and whoever receives.
std::size_t limit_of(const std::vector<Card>& cards, bool admits) {
  const auto pipe = admits ? pipe_for(cards.size()) : shortest_pipe(cards);
  return pipe == 0 ? longest_frame : std::min(pipe, longest_frame);
}

std::vector<bool> apart_from(std::size_t self, const std::vector<Card>& cards) {
  std::vector<bool> apart;
  for (const auto& card : cards) apart.push_back(card.kernel != cards[self].kernel);
  return apart;
}

class Net final : public Fabric {
 public:
  Net(Gathered gathered, const std::vector<Card>& cards, const Terms& terms)
      : self_(gathered.self),
        size_(static_cast<int>(cards.size())),
        limit_(limit_of(cards, gathered.admits)),
        admits_(gathered.admits),
        empty_(cards.size()),
        neighbours_(self_, cards, Pipes::always, admits_),
        links_(std::move(gathered), apart_from(static_cast<std::size_t>(self_), cards), terms,
               wall_time()),
        waiting_(cards.size()) {
    if (neighbours_.count() > 1 && !neighbours_.attached())
      throw Error(
          "the PEs of this host can't share memory, which --trawl:fabric=net needs: they "
          "have to be of one user, see each other in /proc, and may make large files (ulimit -f)");
    for (std::size_t pe = 0; pe < cards.size(); ++pe) empty_[pe] = cards[pe].kernel == 0;
    // Who comes later is not known to those who would read there.
    if (!admits_) share_memory(neighbours_.memory(cards));
    if (progress::EventCount* own = neighbours_.events(self_)) share_events(*own);
  }

  const Neighbours& neighbours() const noexcept { return neighbours_; }

  int self() const noexcept override { return self_; }
  int size() const noexcept override { return size_; }
  std::size_t limit() const noexcept override { return limit_; }

  void send(int to, std::span<const std::byte> message) override {
    if (message.size() > limit_) throw Error("a message is longer than the fabric's limit");
    if (!neighbours_.has(to)) return links_.send(to, message);
    auto& waits = waiting_at(to);
    if (waits.dead) return;
    if (!waits.messages.empty() || !neighbours_.send(to, message)) keep(to, message);
    if (progress::EventCount* events = neighbours_.events(to)) events->notify();
  }

  std::optional<Arrival> poll() override {
    if (kept_ != 0) send_kept();
    if (links_.sending()) links_.flush();
    const bool links_first = ++polls_ % polls_between_links == 0;
    if (links_first)
      if (const auto arrival = links_.receive()) return arrival;
    if (const auto arrival = neighbours_.receive()) return arrival;
    return links_.any() && !links_first ? links_.receive() : std::nullopt;
  }

  bool all_notify() const noexcept override { return neighbours_.are_all(); }
  bool waiting() const noexcept override { return neighbours_.waiting(); }
  bool under_way() const noexcept override { return kept_ != 0 || links_.sending(); }

  bool survives_deaths() const noexcept override { return true; }
  std::optional<Dead> dead() override {
    while (const auto ended = neighbours_.ended()) {
      forget(ended->pe);
      if (!ended->left) return Dead{ended->pe};
    }
    return links_.dead();
  }
  bool admits() const noexcept override { return admits_; }
  bool is_empty(int pe) const noexcept override { return empty_[static_cast<std::size_t>(pe)]; }
  std::optional<int> newcomer() override {
    const auto pe = links_.newcomer(wall_time());
    if (pe) neighbours_.add(*pe, links_.member(*pe).card);
    return pe;
  }
  void refuse_newcomers() override { links_.refuse_newcomers(wall_time()); }
  Bytes card(int pe) const override { return write(links_.member(pe)); }
  void admit(int pe, std::span<const std::byte> card) override {
    const auto member = read_member(card);
    neighbours_.add(pe, member.card);
    if (!neighbours_.has(pe)) links_.expect(pe, member);
  }
  void forget(int pe) noexcept override {
    links_.forget(pe);
    auto& waits = waiting_at(pe);
    kept_ -= waits.messages.size();
    waits.messages.clear();  // a new one takes memory, of which there may be none
    waits.bytes = 0;
    waits.dead = true;
  }

  std::size_t unsent(int to) const noexcept override {
    return waiting_[static_cast<std::size_t>(to)].bytes + links_.unsent(to);
  }

  bool flushed() override {
    send_kept();
    links_.flush();
    return kept_ == 0 && links_.flushed();
  }

  Nanos now() const noexcept override { return wall_time(); }

  void say_goodbye() noexcept { links_.say_goodbye(); }

 private:
  /// What is for a PE of this host and its pipe has no room for.
  struct Waiting {
    std::deque<Bytes> messages{};
    std::size_t bytes = 0;
    bool dead = false;
  };

  Waiting& waiting_at(int pe) noexcept { return waiting_[static_cast<std::size_t>(pe)]; }

  void keep(int to, std::span<const std::byte> message) {
    auto& waits = waiting_at(to);
    waits.messages.push_back(copy_of(message));
    waits.bytes += message.size();
    ++kept_;
  }

  void send_kept() {
    for (int pe = 0; pe < size_ && kept_ != 0; ++pe) {
      auto& waits = waiting_at(pe);
      bool sent = false;
      while (!waits.messages.empty() && neighbours_.send(pe, waits.messages.front())) {
        waits.bytes -= waits.messages.front().size();
        waits.messages.pop_front();
        --kept_;
        sent = true;
      }
      if (sent) neighbours_.events(pe)->notify();
    }
  }

  int self_;
  int size_;
  std::size_t limit_;
  bool admits_;
  std::vector<bool> empty_;  // by PE, when this one joined
  Neighbours neighbours_;
  Links links_;
  std::vector<Waiting> waiting_;  // by PE
  std::size_t kept_ = 0;          // messages in waiting_
  unsigned polls_ = 0;
};

// The process's, as its end is.
constinit Net* own_net = nullptr;

void farewell() noexcept {
  own_net->say_goodbye();
}

std::vector<Endpoint> find_all(std::string_view list) {
  std::vector<Endpoint> all;
  while (true) {
    const auto comma = list.find(',');
    const auto found = find_endpoints(list.substr(0, comma));
    all.insert(all.end(), found.begin(), found.end());
    if (comma == std::string_view::npos) return all;
    list.remove_prefix(comma + 1);
  }
}

/// The two numbers of fd:N,M; the second -1 if there is none.
std::optional<std::pair<int, int>> files_in(std::string_view meet) {
  if (!meet.starts_with("fd:")) return std::nullopt;
  std::pair<int, int> files{-1, -1};
  const auto* end = meet.data() + meet.size();
  auto read = std::from_chars(meet.data() + 3, end, files.first);
  if (read.ec == std::errc() && read.ptr != end && *read.ptr == ',')
    read = std::from_chars(read.ptr + 1, end, files.second);
  if (read.ec != std::errc() || read.ptr != end)
    throw Error("--trawl:meet is a port, or fd:FILE,FILE", 2);
  return files;
}

/// 0, any, where nothing is said.
std::uint16_t port_in(std::string_view meet) {
  std::uint16_t port = 0;
  const auto* end = meet.data() + meet.size();
  const auto [at, error] = std::from_chars(meet.data(), end, port);
  if (!meet.empty() && (error != std::errc() || at != end))
    throw Error("--trawl:meet is a port, or fd:FILE,FILE", 2);
  return port;
}

/// What --trawl:meet says.
struct Meet {
  explicit Meet(std::string_view said)
      : files(files_in(said)), port(files ? std::uint16_t{0} : port_in(said)) {}

  std::optional<std::pair<int, int>> files;  // by trawl-run
  std::uint16_t port;
};

/// The main PE's.
Gathered gather_here(const Meet& meet, const NetSetup& setup, const Member& own) {
  const Wait wait{setup.wait};
  if (const auto& files = meet.files) {
    if (files->second >= 0) keep_launchers_pipe(files->second);
    auto gathered =
        await(Socket::handed_on(files->first), setup.pes, setup.seats, own, setup.terms, wait);
    tell_launcher(News::all_are_there);
    return gathered;
  }
  return await(Socket::listening(meet.port, false), setup.pes, setup.seats, own, setup.terms, wait);
}

/// By way of the launcher the main PE tells where it is, and the run's key.
Gathered gather_by(Pmi& pmi, NetSetup& setup, Member own) {
  const Wait wait{setup.wait};
  own.wanted_pe = pmi.rank();
  if (pmi.rank() != 0) {
    pmi.meet();
    setup.terms.key = read_key(pmi.get("key"));
    return join(find_all(pmi.get("at")), own, setup.terms, wait);
  }
  if (setup.terms.key == Key()) setup.terms.key = make_key();
  auto listening = Socket::listening(0, false);
  std::string at;
  for (const auto& endpoint : own_endpoints(listening.port())) {
    const auto more = std::string(at.empty() ? "" : ",") + endpoint.text();
    if (at.size() + more.size() <= pmi.longest_value()) at += more;
  }
  if (at.empty())
    throw Error("no network of this host is up, not even its own (lo): the PEs can't meet", 2);
  pmi.put("at", at);
  pmi.put("key", text_of(setup.terms.key));
  pmi.meet();
  return await(std::move(listening), pmi.size(), pmi.size(), own, setup.terms, wait);
}

Gathered gather(NetSetup& setup, const Member& own) {
  const Meet meet(setup.meet);  // a bad one is refused where nobody is to be met, too
  if (!setup.join.empty()) return join(find_all(setup.join), own, setup.terms, Wait{setup.wait});
  const bool is_told = !setup.meet.empty() || setup.seats != 1;
  // Each of several may run trawl-run.
  if (is_told && !meet.files && pes_by_mpiexec() > 1)
    throw Error("mpiexec has started " + std::to_string(pes_by_mpiexec()) +
                    " PEs: leave out --trawl:meet, --trawl:pes and --trawl:seats (in the "
                    "environment TRAWL_MEET, ...), or start the program with trawl-run alone",
                2);
  if (!is_told && under_mpiexec()) {
    Pmi pmi;
    if (pmi.size() > 1) return gather_by(pmi, setup, own);
  }
  if (setup.seats == 1) return {.members = {own}, .links = {}, .door = {}};
  return gather_here(meet, setup, own);
}

}  // namespace
}  // namespace net

Joined make_net(const NetSetup& given, std::uint64_t says) {
  if (std::max(given.pes, given.seats) > static_cast<int>(net::most_pes))
    throw Error(
        "over --trawl:fabric=net there are at most " + std::to_string(net::most_pes) + " PEs", 2);
  auto setup = given;
  setup.seats = std::max(setup.seats, setup.pes);
  net::Member own;
  own.card = make_card(says, HostIs::kernel_and_network);
  auto gathered = net::gather(setup, own);
  gathered.links.resize(gathered.members.size());
  const auto cards = net::cards_of(gathered.members);
  auto fabric = std::make_unique<net::Net>(std::move(gathered), cards, setup.terms);
  net::own_net = fabric.get();
  set_farewell(&net::farewell);
  const auto& neighbours = fabric->neighbours();
  return neighbours.joined(std::move(fabric), cards);
}

}  // namespace trawl::fabric
