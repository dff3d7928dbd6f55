#include "rts/life/start.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "rts/error.hpp"
#include "rts/heap/code.hpp"

namespace trawl {
namespace {

constexpr int pings = 4;  // a PE's clock offset is taken from the fastest of them

void write(Writer& to, const Introduction& facts) {
  to.put(facts.speed);
  to.put(facts.cores);
  to.put_string(facts.host);
  to.put_string(facts.cluster);
  to.put(facts.flags_digest);
}

Introduction read(Reader& from) {
  Introduction facts;
  facts.speed = from.get<double>();
  facts.cores = from.get<int>();
  facts.host = from.get_string();
  facts.cluster = from.get_string();
  facts.flags_digest = from.get<std::uint64_t>();
  if (!std::isfinite(facts.speed) || facts.speed <= 0 || facts.cores < 1)
    throw BadBytes("its facts are impossible");
  return facts;
}

// Clocks of PEs differ by what they like, but not so much that comparing them overflows.
Nanos read_time(Reader& from) {
  constexpr Nanos far = 1'000'000'000'000'000'000;
  const auto time = from.get<Nanos>();
  if (time < -far || time > far) throw BadBytes("its time is impossible");
  return time;
}

}  // namespace

Start::Start(int self, int pes, Introduction own, balance::Tables& tables, fabric::Outbox& outbox)
    : self_(self),
      tables_(tables),
      outbox_(outbox),
      peers_(static_cast<std::size_t>(pes)),
      missing_(2 * (pes - 1)) {
  auto& me = peers_[static_cast<std::size_t>(self)];
  me.facts = std::move(own);
  me.introduced = true;
}

void Start::begin(Nanos now) {
  if (self_ == 0) {
    if (missing_ == 0) {
      set_statics();
      begun_ = now;
      complete_ = true;
    }
    return;
  }
  auto message = outbox_.open(fabric::Kind::hello, 0);
  message.put(heap::CodeTable::get().digest());
  write(message, peers_[static_cast<std::size_t>(self_)].facts);
  outbox_.send(0, std::move(message));
}

void Start::on_hello(Reader& message, int from, Nanos now) {
  const auto digest = message.get<std::uint64_t>();
  if (digest != heap::CodeTable::get().digest())
    throw Error("PE " + std::to_string(from) +
                " runs a different program; start the same binary everywhere");
  Peer& peer = peers_[static_cast<std::size_t>(from)];
  if (self_ != 0 || peer.introduced) throw BadBytes("nobody asked");
  peer.facts = read(message);
  const auto own_flags = peers_[static_cast<std::size_t>(self_)].facts.flags_digest;
  if (peer.facts.flags_digest != own_flags && peer.facts.flags_digest != 0 && own_flags != 0)
    throw Error("PE " + std::to_string(from) +
                    " was started with other arguments, or with another --trawl:policy or "
                    "--trawl:silence; only flags about one PE (--trawl:speed, --trawl:heap) may "
                    "differ",
                2);
  peer.introduced = true;
  --missing_;
  ping(from, now);
}

void Start::ping(int pe, Nanos now) {
  auto message = outbox_.open(fabric::Kind::ping, pe);
  message.put(now);
  outbox_.send(pe, std::move(message));
}

void Start::on_ping(Reader& message, int from, Nanos now) {
  auto answer = outbox_.open(fabric::Kind::pong, from);
  answer.put(read_time(message));
  answer.put(now);
  outbox_.send(from, std::move(answer));
}

void Start::on_pong(Reader& message, int from, Nanos now) {
  const auto sent = read_time(message);
  const auto theirs = read_time(message);
  Peer& peer = peers_[static_cast<std::size_t>(from)];
  if (self_ != 0 || complete_ || !peer.introduced) return;
  const auto round_trip = now - sent;
  if (peer.pongs == 0 || round_trip < peer.best_round_trip) {
    peer.best_round_trip = round_trip;
    peer.offset = sent + round_trip / 2 - theirs;
  }
  if (++peer.pongs < pings) return ping(from, now);
  if (peer.pongs == pings && --missing_ == 0) welcome_all(now);
}

void Start::welcome_all(Nanos now) {
  for (int pe = 1; pe < static_cast<int>(peers_.size()); ++pe) {
    const auto& reached = peers_[static_cast<std::size_t>(pe)];
    auto message = outbox_.open(fabric::Kind::welcome, pe);
    message.put(reached.offset);
    message.put(now);
    message.put(reached.best_round_trip / 2);
    for (const auto& peer : peers_) write(message, peer.facts);
    outbox_.send(pe, std::move(message));
    tables_.note_latency(0, pe, {reached.best_round_trip / 2, now});
    round_trip_ = std::max(round_trip_, reached.best_round_trip);
  }
  set_statics();
  begun_ = now;
  complete_ = true;
}

void Start::on_welcome(Reader& message, Nanos now) {
  if (complete_) throw BadBytes("nobody asked");
  offset_ = read_time(message);
  begun_ = read_time(message);
  const auto latency = read_time(message);
  round_trip_ = 2 * latency;
  for (auto& peer : peers_) peer.facts = read(message);
  set_statics();
  tables_.note_latency(self_, 0, {latency, now + offset_});
  complete_ = true;
}

// Hosts and clusters get their numbers in the order of the PEs, alike everywhere.
void Start::set_statics() {
  std::map<std::string, std::uint32_t> hosts;
  std::map<std::string, std::uint32_t> clusters;
  for (std::size_t pe = 0; pe < peers_.size(); ++pe) {
    const auto& facts = peers_[pe].facts;
    const auto host = hosts.try_emplace(facts.host, hosts.size()).first->second;
    const auto cluster = clusters.try_emplace(facts.cluster, clusters.size()).first->second;
    tables_.set_static(static_cast<int>(pe), {facts.speed, facts.cores, host, cluster});
  }
}

}  // namespace trawl
