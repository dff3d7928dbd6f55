#include "rts/life/start.hpp"

#include <algorithm>
#include <cstdlib>
#include <string>
#include <utility>

#include "rts/inline/error.hpp"

namespace trawl::life {
namespace {

constexpr int pings = 4;                 // a PE's clock offset is taken from the fastest of them
constexpr std::size_t most_alike = 256;  // in a WELCOME

}  // namespace

Start::Start(int self, int pes, Introduction own, balance::Tables& tables, fabric::Outbox& outbox)
    : self_(self), tables_(tables), outbox_(outbox), own_(std::move(own)), missing_(2 * (pes - 1)) {
  if (self != 0) return;
  peers_.resize(static_cast<std::size_t>(pes));
  peers_.front().facts = own_;
  peers_.front().introduced = true;
}

void Start::begin(Nanos now) {
  if (self_ == 0) {
    if (missing_ == 0) {
      set_roster();
      begun_ = now;
      complete_ = true;
    }
    return;
  }
  fabric::send(outbox_, 0, Hello{own_});
}

void Start::on_hello(Hello message, int from, Nanos now) {
  Peer& peer = peers_[static_cast<std::size_t>(from)];
  if (peer.introduced) throw BadBytes("nobody asked");
  peer.facts = std::move(message.facts);
  const auto unlikely = unlike(peer.facts);
  if (!unlikely.empty()) throw Error("PE " + std::to_string(from) + " " + unlikely, 2);
  peer.introduced = true;
  if (!peer.late) --missing_;
  // For who comes later all at once: he is to have work soon.
  for (int i = 0; i < (peer.late ? pings : 1); ++i) ping(from, now);
}

std::string Start::unlike(const Introduction& facts) const {
  const auto own_flags = own_.flags_digest;
  if (facts.flags_digest == own_flags || facts.flags_digest == 0 || own_flags == 0) return {};
  return "was started with other arguments, or with another --trawl:policy, --trawl:silence, "
         "--trawl:recover, --trawl:backup, --trawl:copies, --trawl:copy-share, --trawl:grid or "
         "--trawl:simulate: these have to be the same on all PEs";
}

void Start::expect(int pe) {
  Peer& peer = peers_[static_cast<std::size_t>(pe)];
  peer = {};
  peer.facts = own_;
  peer.late = true;
}

void Start::ping(int pe, Nanos now) {
  fabric::send(outbox_, pe, Ping{now});
}

void Start::on_ping(const Ping& message, int from, Nanos now) {
  fabric::send(outbox_, from, Pong{message.sent, now});
}

void Start::on_pong(const Pong& message, int from, Nanos now) {
  if (message.sent > now) throw BadBytes("it answers what was not sent yet");
  if (self_ != 0) return main_clock_.heard(message.sent, message.answered, now);
  Peer& peer = peers_[static_cast<std::size_t>(from)];
  if (!peer.introduced || (complete_ && !peer.late)) return;
  const auto round_trip = now - message.sent;
  if (peer.pongs == 0 || round_trip < peer.best_round_trip) {
    peer.best_round_trip = round_trip;
    peer.offset = message.sent + round_trip / 2 - message.answered;
    // As far as can be seen.
    peer.same_clock = peer.facts.host == own_.host && std::abs(peer.offset) <= round_trip;
    if (peer.same_clock) peer.offset = 0;
  }
  ++peer.pongs;
  if (peer.late) return;
  if (peer.pongs < pings) return ping(from, now);
  if (peer.pongs == pings && --missing_ == 0) welcome_all(now);
}

bool Start::greet(int pe, std::uint32_t view, Nanos now) {
  Peer& peer = peers_[static_cast<std::size_t>(pe)];
  if (!peer.late || peer.pongs < pings) return false;
  peer.late = false;
  Welcome message;
  message.begun = begun_;
  message.view = view;
  message.all = balance::in_short(facts_of_all(), most_alike);
  welcome(pe, message, now);
  return true;
}

balance::PeStatic Start::facts_of(int pe) {
  return facts_of_all()[static_cast<std::size_t>(pe)];
}

// Who has not introduced himself is taken to have been like the main PE.
void Start::dead(int pe, Nanos now) {
  if (self_ != 0 || complete_) return;
  Peer& peer = peers_[static_cast<std::size_t>(pe)];
  if (std::exchange(peer.dead, true)) return;
  missing_ -= (peer.introduced ? 0 : 1) + (peer.pongs < pings ? 1 : 0);
  if (!peer.introduced) peer.facts = own_;
  if (missing_ == 0) welcome_all(now);
}

void Start::welcome_all(Nanos now) {
  Welcome message;
  message.begun = now;
  message.all = set_roster();  // first: who is far is known by it
  for (int pe = 1; pe < static_cast<int>(peers_.size()); ++pe)
    if (!peers_[static_cast<std::size_t>(pe)].dead) welcome(pe, message, now);
  begun_ = now;
  complete_ = true;
}

void Start::welcome(int pe, Welcome& message, Nanos now) {
  const auto& reached = peers_[static_cast<std::size_t>(pe)];
  message.offset = reached.offset;
  message.latency = reached.best_round_trip / 2;
  message.same_clock = reached.same_clock;
  fabric::send(outbox_, pe, message);
  tables_.note_latency(pe, {message.latency, now});
  round_trip_ = std::max(round_trip_, reached.best_round_trip);
}

void Start::on_welcome(const Welcome& message, Nanos now) {
  main_clock_.begin(message.offset, 2 * message.latency, message.same_clock, now);
  begun_ = message.begun;
  view_ = message.view;
  round_trip_ = 2 * message.latency;
  know_all(message.all);
  tables_.note_latency(0, {message.latency, now + message.offset});
  complete_ = true;
}

// Clusters get their numbers in the order of the PEs, and of their coming.
std::vector<balance::PeStatic> Start::facts_of_all() {
  std::vector<balance::PeStatic> all;
  for (const auto& peer : peers_) {
    const auto& facts = peer.facts;
    const auto cluster = clusters_.try_emplace(facts.cluster, clusters_.size()).first->second;
    all.push_back({facts.speed, facts.cores, cluster, facts.memory});
  }
  return all;
}

std::vector<balance::Alike> Start::set_roster() {
  auto in_short = balance::in_short(facts_of_all(), most_alike);
  know_all(in_short);
  return in_short;
}

void Start::know_all(const std::vector<balance::Alike>& all) {
  tables_.set_roster(balance::Roster::shared(all));
  tables_.set_own_strength(own_.speed * own_.cores);
}

}  // namespace trawl::life
