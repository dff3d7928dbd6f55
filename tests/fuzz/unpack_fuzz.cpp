// Any bytes give an error or a value, never undefined behaviour: packets for unpack_graph, messages
// of every kind for a PE. To be run under sanitizers; `unpack_fuzz [seconds [seed]]`.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include <boost/unordered/unordered_flat_set.hpp>
#include <trawl/lazy.hpp>
#include <unistd.h>

#include "rts/fabric/fragments.hpp"
#include "rts/heap/failure.hpp"
#include "rts/heap/pack.hpp"
#include "rts/pe.hpp"
#include "tests/fuzz/byte_damage.hpp"

namespace {

using trawl::BadBytes;
using trawl::Bytes;
using trawl::Lazy;
using trawl::Reader;
using trawl::Writer;
using trawl::fabric::Kind;
namespace heap = trawl::heap;

// ---- values of many shapes ---------------------------------------------------------------------

struct Point {
  int x = 0;
  double y = 0;
};

struct Rose {
  std::vector<Rose> petals;
};

struct Cell {
  long value = 0;
  bool flag = false;
  std::string text;
  std::vector<Point> points;
  std::vector<bool> bits;
  std::map<int, std::optional<std::string>> index;
  std::variant<int, std::string, Lazy<Cell>> choice;
  Lazy<Cell> next;
  std::vector<Lazy<Cell>> children;
};

Cell make_cell(long value, Lazy<Cell> next, std::string text) {
  Cell cell;
  cell.value = value;
  cell.next = next;
  cell.text = std::move(text);
  return cell;
}
long sum(std::vector<long> values) {
  std::uint64_t all = 0;  // they may be any
  for (const long v : values) all += static_cast<std::uint64_t>(v);
  return static_cast<long>(all);
}
Rose grow(Rose rose) {
  return rose;
}
int fails(int n) {
  throw std::out_of_range(std::to_string(n));
}

void evaluate(heap::Node* node) {
  if (!node->move(heap::State::unevaluated, heap::State::black_hole)) return;
  node->unmark(heap::Node::waited);
  node->code().evaluate(node);
}

/// Looks at everything that can be reached from a value.
class Walk {
 public:
  void visit(heap::Node* node) {
    todo_.push_back(node);
    while (!todo_.empty()) {
      node = todo_.back();
      todo_.pop_back();
      if (seen_.insert(node).second) look(node);
    }
  }

 private:
  void look(heap::Node* node) {
    if (node->state() == heap::State::exception) {
      count_ += heap::failure_of(node)->message.size();
      return;
    }
    if (node->state() != heap::State::value) return;
    if (node->code().result_type == &heap::type_tag<Cell>)
      return look(heap::ResultOf<Cell>::get(node));
    // Others are looked at by packing them.
    if (node->code().result_type == &heap::type_tag<Rose>) look(heap::ResultOf<Rose>::get(node));
  }
  void look(const Cell& cell) {
    count_ += cell.text.size() + cell.points.size() + (cell.flag ? 1 : 0);
    for (const auto& point : cell.points) count_ += point.x > 0 ? 1 : 0;
    for (const bool bit : cell.bits) count_ += bit ? 1 : 0;
    for (const auto& [key, text] : cell.index) count_ += text ? text->size() : 0;
    if (const auto* lazy = std::get_if<Lazy<Cell>>(&cell.choice); lazy != nullptr && *lazy)
      todo_.push_back(lazy->node());
    if (cell.next) todo_.push_back(cell.next.node());
    for (const auto& child : cell.children)
      if (child) todo_.push_back(child.node());
  }
  void look(const Rose& rose) {
    for (const auto& petal : rose.petals) look(petal);
    ++count_;
  }

  std::vector<heap::Node*> todo_;
  boost::unordered_flat_set<heap::Node*> seen_;
  std::size_t count_ = 0;
};

// ---- bytes -------------------------------------------------------------------------------------

class Bits : public fuzz::ByteDamage {
 public:
  using ByteDamage::ByteDamage;

  Lazy<Cell> cell(int depth) {
    if (depth == 0 || one_in(8)) return {};
    if (one_in(4)) return trawl::lazy<make_cell>(7L, cell(depth - 1), "later");
    Cell value;
    value.value = static_cast<long>(below(100));
    value.text.assign(below(30), 'x');
    value.points.resize(below(4));
    value.bits.assign(below(9), true);
    if (one_in(2)) value.index[3] = "three";
    if (one_in(3)) value.choice = cell(depth - 1);
    value.next = cell(depth - 1);
    value.children.assign(below(3), cell(depth - 1));
    Lazy<Cell> made(value);
    if (one_in(4)) heap::ResultOf<Cell>::held(made.node()).value.next = made;
    return made;
  }

  heap::Node* root() {
    switch (below(6)) {
      case 0:
        // The long one may be lent instead of sent.
        return trawl::lazy<sum>(std::vector<long>(one_in(20) ? 10'000 : 3, 1)).node();
      case 1:
        return trawl::lazy<grow>(Rose{{Rose{}, Rose{{Rose{}}}}}).node();
      case 2: {
        const auto failed = trawl::lazy<fails>(3);
        evaluate(failed.node());
        return failed.node();
      }
      case 3:
        return trawl::lazy<make_cell>(1L, cell(3), "root").node();
      default: {
        auto made = cell(4);
        return made ? made.node() : Lazy<Cell>(Cell{}).node();
      }
    }
  }
};

struct Tally {
  std::uint64_t values = 0;
  std::uint64_t errors = 0;
};

// ---- packets -----------------------------------------------------------------------------------

/// The first so many of what has been sent.
class Others final : public heap::Following {
 public:
  Others(const std::vector<heap::Node*>& sent, std::size_t count) : sent_(sent), left_(count) {}
  heap::Node* next(std::size_t, bool) override { return left_ == 0 ? nullptr : sent_[--left_]; }

  void left(std::uint64_t) override {}
  bool depth_first() const override { return left_ % 2 == 1; }

 private:
  const std::vector<heap::Node*>& sent_;
  std::size_t left_;
};

void packets(Bits& bits, Tally& tally) {
  const trawl::fabric::Memory memory({getpid(), getpid(), getpid()});
  heap::GlobalAddressTable home(0, 3, 1U << 16U);
  heap::GlobalAddressTable away(1, 3, 1U << 16U);
  if (bits.one_in(2)) away.expect_deaths();
  std::vector<Bytes> seen;
  std::vector<heap::Node*> here;
  std::vector<heap::Node*> sent;
  for (int i = 0; i < 200; ++i) {
    heap::Node* root = bits.root();
    if (bits.one_in(3)) evaluate(root);
    root->move(heap::State::unevaluated, heap::State::exported);
    Writer packet;
    Others following(sent, bits.one_in(3) ? 0 : bits.below(sent.size() + 1));
    heap::pack_graph(packet, root, home,
                     {bits.one_in(3) ? bits.below(300) : 1U << 16U, bits.below(9)},
                     {1, heap::Arrays::lent}, &following);
    if (root->state() == heap::State::value && sent.size() < 8) sent.push_back(root);
    seen.push_back(packet.take());
    Bytes bytes = bits.one_in(20) ? bits.noise() : seen.back();
    if (!bits.one_in(5)) bits.damage(bytes, 0, seen);
    heap::Node* into = nullptr;
    if (!here.empty() && bits.one_in(2)) into = here[bits.below(here.size())];
    try {
      Reader reader(bytes);
      const auto unpacked = heap::unpack_graph(reader, 0, away, memory, into);
      if (unpacked.lost || unpacked.handed_back) continue;
      Walk().visit(unpacked.root);
      for (const auto& arrived : unpacked.thunks)
        if (bits.one_in(2)) evaluate(arrived.thunk);
      Walk().visit(unpacked.root);
      here.push_back(unpacked.root);
      ++tally.values;
      // What has come can be sent on.
      if (unpacked.root->finished()) {
        Writer on;
        heap::pack_graph(on, unpacked.root, away, {});
        seen.push_back(on.take());
      }
    } catch (const BadBytes&) {
      ++tally.errors;
      if (into != nullptr) std::erase(here, into);  // may be half filled
    }
  }
}

// ---- whole messages ----------------------------------------------------------------------------

/// The network of one PE: what it sends is kept, what it receives is ours to say.
class Wire final : public trawl::fabric::Fabric {
 public:
  Wire(int self, int size) : self_(self), size_(size) {
    share_memory(
        trawl::fabric::Memory(std::vector<pid_t>(static_cast<std::size_t>(size), getpid())));
  }
  int self() const noexcept override { return self_; }
  int size() const noexcept override { return size_; }
  std::size_t limit() const noexcept override { return 400; }
  void send(int to, std::span<const std::byte> message) override {
    if (to < 0 || to >= size_ || to == self_) std::abort();  // a PE that believed what it was told
    sent.emplace_back(to, trawl::copy_of(message));
  }
  std::optional<trawl::fabric::Arrival> poll() override {
    if (to_come.empty()) return std::nullopt;
    last_ = std::move(to_come.front());
    to_come.pop_front();
    return trawl::fabric::Arrival{last_.first, last_.second};
  }
  bool flushed() override { return true; }
  trawl::Nanos now() const noexcept override { return now_ += 30'000; }

  std::vector<std::pair<int, Bytes>> sent;
  std::deque<std::pair<int, Bytes>> to_come;

 private:
  std::pair<int, Bytes> last_;
  int self_;
  int size_;
  mutable trawl::Nanos now_ = 1'000'000'000;
};

struct Seat {
  Wire wire;
  std::unique_ptr<trawl::Pe> pe;
  bool over = false;

  Seat(int self, int pes, heap::Weight full_weight) : wire(self, pes) {
    trawl::Pe::Setup setup;
    setup.full_weight = full_weight;
    setup.options.packet_size = 300;
    setup.options.fish_delay = 1;
    setup.seed = static_cast<std::uint64_t>(self) + 1;
    setup.facts.host = std::string("h");  // g++ 12 warns of an assigned literal
    setup.facts.cluster = std::string("c");
    setup.pause = [](trawl::sched::Worker&, trawl::sched::Moment) {};
    pe = std::make_unique<trawl::Pe>(setup, wire,
                                     [this](const trawl::life::Outcome&) { over = true; });
  }
};

/// Three PEs talk; sooner or later somebody hears something else.
void messages(Bits& bits, Tally& tally) {
  constexpr int pes = 3;
  std::vector<std::unique_ptr<Seat>> seats;
  const heap::Weight weight = bits.one_in(2) ? 4 : 1U << 16U;
  for (int i = 0; i < pes; ++i) seats.push_back(std::make_unique<Seat>(i, pes, weight));
  std::vector<Bytes> seen;
  const auto quiet_rounds = bits.below(40);
  for (std::size_t round = 0; round < quiet_rounds + 20; ++round) {
    for (int from = 0; from < pes; ++from) {
      Seat& seat = *seats[static_cast<std::size_t>(from)];
      if (seat.over) return;
      for (auto& [to, message] : std::exchange(seat.wire.sent, {})) {
        seen.push_back(message);
        auto& target = seats[static_cast<std::size_t>(to)]->wire;
        if (round > quiet_rounds && bits.one_in(4)) {
          // Mostly behind the load entries, so that it gets past them.
          const auto skip = bits.one_in(3) ? 0 : std::min<std::size_t>(message.size(), 20);
          bits.damage(message, skip, seen);
        }
        if (!bits.one_in(30)) target.to_come.push_back({from, std::move(message)});
      }
      // Messages of every kind that nobody sent.
      if (round > quiet_rounds && bits.one_in(6)) {
        Bytes made = bits.one_in(2) || seen.empty() ? bits.noise() : seen[bits.below(seen.size())];
        constexpr auto prefix = trawl::fabric::Fragmenter::prefix;
        made.resize(std::max(made.size(), prefix + 1));
        if (bits.one_in(2)) {
          made[0] = std::byte{'W'};
          made[prefix] = static_cast<std::byte>(bits.below(trawl::fabric::kinds + 1));
        }
        bits.damage(made, bits.one_in(2) ? prefix + 1 : 0, seen);
        seat.wire.to_come.push_back(
            {static_cast<int>((static_cast<std::size_t>(from) + 1 + bits.below(pes - 1)) % pes),
             std::move(made)});
      }
      // The program: sparks go out, what is known is asked for.
      if (seat.pe->joined() && !seat.pe->stopping() && bits.one_in(3)) {
        heap::Node* spark = bits.root();
        const std::lock_guard lock(seat.pe->lock());
        seat.pe->shared_heap().export_spark(
            spark,
            static_cast<int>((static_cast<std::size_t>(from) + 1 + bits.below(pes - 1)) % pes));
      }
      while (heap::Node* spark = seat.pe->workers().take_imported()) {
        evaluate(spark);
        const std::lock_guard lock(seat.pe->lock());
        if (spark->finished()) seat.pe->shared_heap().release(spark);
      }
      seat.pe->poll(nullptr);
      ++(seat.pe->stopping() ? tally.errors : tally.values);
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  const double seconds = argc > 1 ? std::atof(argv[1]) : 20;
  const auto seed = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 1;
  Tally packet_tally;
  Tally message_tally;
  const auto begin = std::chrono::steady_clock::now();
  std::uint64_t round = seed;
  for (; std::chrono::steady_clock::now() - begin < std::chrono::duration<double>(seconds);
       ++round) {
    if (argc > 3) std::printf("round %llu\n", static_cast<unsigned long long>(round));
    Bits bits(round);
    packets(bits, packet_tally);
    for (int i = 0; i < 5; ++i) messages(bits, message_tally);
  }
  std::printf(
      "%llu rounds: packets %llu values, %llu errors; turns of PEs %llu good, %llu failed\n",
      static_cast<unsigned long long>(round - seed),
      static_cast<unsigned long long>(packet_tally.values),
      static_cast<unsigned long long>(packet_tally.errors),
      static_cast<unsigned long long>(message_tally.values),
      static_cast<unsigned long long>(message_tally.errors));
  // A fuzzer whose input is always refused at the door tests nothing, nor does one that never is.
  return packet_tally.values > 0 && packet_tally.errors > 0 && message_tally.values > 0 &&
                 message_tally.errors > 0
             ? 0
             : 1;
}
