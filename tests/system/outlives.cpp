// outlives DEATHS, under trawl-run: PEs send each other messages by fabric net, without the runtime
// above it, until so many of them have been killed and the living have heard enough of each other
// since. Each message is checked: its sender, its turn, its content.
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "rts/fabric/net/net.hpp"
#include "rts/fabric/process_end.hpp"

namespace {

using namespace trawl;

constexpr std::uint64_t enough = 300;  // messages of each, once all deaths are known
constexpr std::size_t most_unsent = std::size_t{256} << 10U;

enum class What : std::uint32_t { number, done, end };

struct Head {
  What what;
  std::uint32_t fill;  // what all bytes behind this are
  std::uint64_t turn;
};

class Exchange {
 public:
  Exchange(fabric::Fabric& fabric, int deaths)
      : fabric_(fabric),
        deaths_(deaths),
        peers_(static_cast<std::size_t>(fabric.size())),
        random_(static_cast<std::uint64_t>(fabric.self())) {}

  void run() {
    while (!ended_) {
      for (int pe = 0; pe < fabric_.size(); ++pe)
        if (pe != fabric_.self() && fabric_.unsent(pe) < most_unsent) send_number(pe);
      for (int i = 0; i < 4 * fabric_.size(); ++i) take();
      while (const auto dead = fabric_.dead()) note_dead(dead->pe);
      if (!begun_ && all_have(1)) begun();
      if (deaths_ == 0 && all_have(enough) && !done_) finish();
      if (fabric_.self() == 0 && done_ && done_count_ == living()) end();
    }
    while (!fabric_.flushed()) {
      take();
      while (fabric_.dead()) {  // what is for them is not kept any more
      }
    }
  }

 private:
  struct Peer {
    std::uint64_t sent = 0;
    std::uint64_t heard = 0;
    std::uint64_t heard_since = 0;  // the last death
    bool dead = false;
    bool done = false;
  };

  Peer& peer(int pe) { return peers_[static_cast<std::size_t>(pe)]; }

  void send(int to, const Head& head, std::size_t filling) {
    Bytes message(sizeof head + filling, static_cast<std::byte>(head.fill));
    std::memcpy(message.data(), &head, sizeof head);
    std::memset(message.data() + sizeof head, static_cast<int>(head.fill), filling);
    fabric_.send(to, message);
  }

  void send_number(int to) {
    const auto most = fabric_.limit() - sizeof(Head);
    const auto filling = random_() % 8 == 0 ? random_() % (most + 1) : random_() % 200;
    send(to, {What::number, static_cast<std::uint32_t>(random_() % 256), ++peer(to).sent},
         std::min<std::size_t>(filling, most));
  }

  void take() {
    const auto arrival = fabric_.poll();
    if (!arrival) return;
    Head head{};
    if (arrival->bytes.size() < sizeof head) throw std::logic_error("a message is cut off");
    std::memcpy(&head, arrival->bytes.data(), sizeof head);
    for (const auto byte : arrival->bytes.subspan(sizeof head))
      if (byte != static_cast<std::byte>(head.fill)) throw std::logic_error("it was changed");
    auto& from = peer(arrival->from);
    if (head.what == What::end) ended_ = true;
    if (head.what == What::done && !std::exchange(from.done, true)) ++done_count_;
    if (head.what != What::number) return;
    if (head.turn != ++from.heard) throw std::logic_error("it is not its turn");
    ++from.heard_since;
  }

  void note_dead(int pe) {
    if (std::exchange(peer(pe).dead, true)) throw std::logic_error("it has died twice");
    if (peer(pe).done) --done_count_;
    if (pe == 0) std::exit(1);
    --deaths_;
    for (auto& each : peers_) each.heard_since = 0;
  }

  int living() const {
    int count = -1;  // but this one
    for (const auto& each : peers_) count += each.dead ? 0 : 1;
    return count;
  }

  bool all_have(std::uint64_t count) {
    for (int pe = 0; pe < fabric_.size(); ++pe)
      if (pe != fabric_.self() && !peer(pe).dead && peer(pe).heard_since < count) return false;
    return true;
  }

  void begun() {
    begun_ = true;
    if (fabric_.self() == 0) std::cout << "begun" << std::endl;
  }

  void finish() {
    done_ = true;
    if (fabric_.self() != 0) send(0, {What::done, 0, 0}, 0);
  }

  void end() {
    for (int pe = 1; pe < fabric_.size(); ++pe) send(pe, {What::end, 0, 0}, 0);
    std::cout << living() + 1 << " went on" << std::endl;
    ended_ = true;
  }

  fabric::Fabric& fabric_;
  int deaths_;  // that are still to come
  std::vector<Peer> peers_;
  std::mt19937_64 random_;
  int done_count_ = 0;
  bool begun_ = false;
  bool done_ = false;
  bool ended_ = false;
};

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr ? value : "";
}

}  // namespace

int main(int argc, char** argv) {
  fabric::NetSetup setup;
  setup.terms.key = fabric::net::read_key(variable("TRAWL_KEY"));
  setup.terms.identity = fabric::net::own_identity("0", 0);
  setup.join = variable("TRAWL_JOIN");
  setup.meet = variable("TRAWL_MEET");
  setup.pes = setup.join.empty() ? std::stoi(variable("TRAWL_PES")) : 1;
  int code = 0;
  try {
    const auto joined = fabric::make_net(setup, 0);
    Exchange(*joined.fabric, argc == 2 ? std::stoi(argv[1]) : 0).run();
    fabric::leave(0);
  } catch (const std::exception& e) {
    std::cerr << "outlives: " << e.what() << std::endl;
    code = 3;
  }
  fabric::leave(code);
}
