// lets_go WHAT COUNT: goes through more than its memory may hold, of which nothing is needed twice.
// What is to let it go is the runtime; prints the sum.
#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <iostream>
#include <ranges>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include <trawl/dist.hpp>
#include <trawl/trawl.hpp>

namespace {

using Row = std::vector<double>;
using List = trawl::List<long>;

Row row(long n) {
  return Row(1000, static_cast<double>(n));
}
long length(long n) {
  return static_cast<long>(row(n).size());
}

/// Whoever is alone goes through each list itself: its sparks are all in vain.
long sparked_lists(long steps) {
  double sum = 0;
  for (long i = 0; i < steps; ++i) {
    const auto rows = trawl::lazy_map<row>(std::views::iota(0L, 3000L));
    trawl::apply(rows, trawl::par_list(trawl::rseq));
    for (const auto& each : rows) sum += trawl::force(each)[0];
  }
  return static_cast<long>(sum);
}

long maps(long steps) {
  double sum = 0;
  for (long i = 0; i < steps; ++i)
    for (const auto& each : trawl::par_map<row>(std::views::iota(0L, 300L))) sum += each[0];
  return static_cast<long>(sum);
}

List from(long n, long to) {
  if (n == to) return {};
  return {trawl::lazy<length>(n), trawl::lazy<from>(n + 1, to)};
}
long doubled(long n) {
  return 2 * n;
}
List twice(trawl::Lazy<List> list) {
  const List cell = trawl::consume(std::move(list));
  if (cell.empty()) return {};
  return {trawl::lazy<doubled>(cell.head), trawl::lazy<twice>(cell.tail)};
}
long sum_of(trawl::Lazy<List>&& list) {
  long sum = 0;
  while (true) {
    const List cell = trawl::consume(std::move(list));
    if (cell.empty()) return sum;
    sum += trawl::force(cell.head);
    list = cell.tail;
  }
}

[[gnu::noinline]] long moved_lists(long cells) {
  auto list = trawl::lazy<from>(0L, cells);
  return sum_of(trawl::lazy<twice>(std::move(list)));
}
[[gnu::noinline]] long temporary_lists(long cells) {
  return sum_of(trawl::lazy<twice>(trawl::lazy<from>(0L, cells)));
}
[[gnu::noinline]] long buffered_lists(long cells) {
  auto list = trawl::lazy<from>(0L, cells);
  long sum = 0;
  for (const long x : trawl::apply(std::move(list), trawl::par_buffer(50, trawl::rseq))) sum += x;
  return sum;
}

long index_of(std::size_t i) {
  return static_cast<long>(i);
}
long next(long x) {
  return x + 1;
}
trawl::Dist<long> chain(std::size_t n) {
  auto d = trawl::generate<index_of>(n);
  for (int i = 0; i < 20; ++i) d = trawl::map<next>(d);
  return d;
}
trawl::Dist<long> shorter_chain(std::size_t) {
  return chain(60'000);
}

/// Distributed data in values of the heap.
long held_data(long steps) {
  long sum = 0;
  for (long i = 0; i < steps; ++i)
    sum += static_cast<long>(trawl::force(trawl::lazy<chain>(std::size_t{200'000})).size());
  return sum;
}
long nested_data(long steps) {
  long sum = 0;
  for (long i = 0; i < steps; ++i)
    for (const auto& each : trawl::generate<shorter_chain>(3))
      sum += static_cast<long>(each.size());
  return sum;
}

/// Nobody wants what was spawned.
long given_up(long steps) {
  long sum = 0;
  for (long i = 0; i < steps; ++i) {
    const std::vector<Row> rows(20'000, Row(100));
    const auto all = trawl::spawn_all<[](const Row& each) { return each.size(); }>(rows);
    ++sum;
  }
  return sum;
}

/// Has to be destroyed: that it is dead does not give back its memory.
class Field {
 public:
  Field() = default;
  explicit Field(std::size_t cells) : cells_(cells) {}
  template <class Archive>
  void serialize(Archive& archive) {
    archive(cells_);
  }
  std::size_t size() const { return cells_.size(); }

 private:
  Row cells_;
};
Field field(std::size_t cells) {
  return Field(cells);
}
long destroyed(long steps) {
  std::size_t sum = 0;
  for (long i = 0; i < steps; ++i)
    sum += trawl::force(trawl::lazy<field>(std::size_t{12'500})).size();
  return static_cast<long>(sum);
}

long throws_much(long letters) {
  throw std::runtime_error(std::string(static_cast<std::size_t>(letters), 'x'));
}
long thrown(long steps) {
  long caught = 0;
  for (long i = 0; i < steps; ++i) try {
      trawl::force(trawl::lazy<throws_much>(100'000L));
    } catch (const std::runtime_error&) {
      ++caught;
    }
  return caught;
}

/// Neighbours need the edges only: where the cells are the root never asks.
struct Block {
  double first;
  double last;
  trawl::Lazy<Row> cells;
};
Block block(Row cells) {
  return {cells.front(), cells.back(), trawl::Lazy<Row>(std::move(cells))};
}
Block first_block(long k) {
  return block(Row(20'000, static_cast<double>(k)));
}
Block step(const Block& left, const Block& old, const Block& right) {
  auto cells = trawl::force(old.cells);
  for (int i = 0; i < 10; ++i)
    for (double& each : cells) each += 0.0001 * (left.last - right.first);
  return block(std::move(cells));
}
long blocks(long steps) {
  constexpr std::size_t many = 8;
  auto all = trawl::lazy_map<first_block>(std::views::iota(0L, long{many}));
  double sum = 0;
  for (long i = 0; i < steps; ++i) {
    std::vector<trawl::Lazy<Block>> next;
    for (std::size_t k = 0; k < many; ++k)
      next.push_back(trawl::lazy<step>(all[(k + many - 1) % many], all[k], all[(k + 1) % many]));
    trawl::apply(next, trawl::par_list(trawl::rseq));
    for (const auto& each : next) sum += trawl::force(each).first;
    all = std::move(next);
  }
  return std::lround(sum);
}

/// Distributed data whose elements refer to more than a packet has room for, kept where it is.
struct Element {
  long number;
  trawl::Lazy<Row> row;
};
Element element(std::size_t i) {
  return {index_of(i), trawl::keep(row(static_cast<long>(i)))};
}
Element renewed(Element each) {
  return {each.number + 1, trawl::keep(row(each.number))};
}
long elements(long steps) {
  auto all = trawl::generate<element>(200);
  for (long i = 0; i < steps; ++i) all = trawl::map<renewed>(all);
  long sum = 0;
  for (const auto& each : trawl::collect(all)) sum += each.number;
  return sum;
}

long sum_of_given(trawl::Lazy<List> list) {
  return sum_of(std::move(list));
}
/// A list goes to another PE with the spark that walks through it.
long sent_list(long cells) {
  const auto sum = trawl::par(trawl::lazy<sum_of_given>(trawl::lazy<from>(0L, cells)));
  while (sum.node()->state() == trawl::heap::State::unevaluated) std::this_thread::yield();
  return trawl::force(sum);
}

int root(int argc, char** argv) {
  const std::string_view what = argc == 3 ? argv[1] : "";
  const long count = argc == 3 ? std::atol(argv[2]) : 0;
  const std::vector<std::pair<std::string_view, long (*)(long)>> all{
      {"sparked", sparked_lists},   {"maps", maps},
      {"moved", moved_lists},       {"temporary", temporary_lists},
      {"buffered", buffered_lists}, {"held", held_data},
      {"nested", nested_data},      {"given_up", given_up},
      {"destroyed", destroyed},     {"thrown", thrown},
      {"blocks", blocks},           {"elements", elements},
      {"sent", sent_list}};
  for (const auto& [name, run] : all) {
    if (name != what) continue;
    std::cout << run(count) << '\n';
    return 0;
  }
  std::cerr << "lets_go WHAT COUNT\n";
  return 2;
}

}  // namespace

int main(int argc, char** argv) {
  return trawl::run<root>(argc, argv);
}
