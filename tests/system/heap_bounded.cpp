// Creates and drops thunks, here or across PEs; prints the most memory that this PE ever held.
#include <chrono>
#include <cstdio>
#include <vector>

#include <CLI/CLI.hpp>
#include <sys/resource.h>
#include <trawl.hpp>

namespace {

struct Cell {
  long value = 0;
  trawl::Lazy<Cell> next;
};

long peak_kib() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss;
}

Cell make_cell(long value, trawl::Lazy<Cell> next) {
  return {value, next};
}

// Each batch is a list of thunks, of which every other one is evaluated, and dropped.
long locally(long thunks) {
  long sum = 0;
  constexpr long batch = 1000;
  for (long done = 0; done < thunks; done += batch) {
    trawl::Lazy<Cell> list;
    for (long i = 0; i < batch; ++i) {
      list = trawl::lazy<make_cell>(i, list);
      if (i % 2 == 0) sum += trawl::force(list).value;
    }
  }
  return sum;
}

// A thunk whose result refers to thunks of the PE that evaluates it: they stay there until the
// other one drops them.
std::vector<trawl::Lazy<Cell>> offers(long n) {
  std::vector<trawl::Lazy<Cell>> cells;
  cells.reserve(static_cast<std::size_t>(n));
  for (long i = 0; i < n; ++i) cells.push_back(trawl::lazy<make_cell>(i, trawl::Lazy<Cell>()));
  return cells;
}

long across(long thunks) {
  constexpr long batch = 1000;
  constexpr long ahead = 8;
  long sum = 0;
  std::vector<trawl::Lazy<std::vector<trawl::Lazy<Cell>>>> window;
  for (long done = 0; done < thunks; done += batch) {
    window.push_back(trawl::par(trawl::lazy<offers>(batch)));
    if (static_cast<long>(window.size()) < ahead) continue;
    const auto cells = trawl::force(window.front());
    window.erase(window.begin());
    sum += trawl::force(cells.back()).value;  // fetches one of them
  }
  for (const auto& rest : window) sum += static_cast<long>(trawl::force(rest).size());
  return sum;
}

Cell count_from(long value) {
  return {value, trawl::lazy<count_from>(value + 1)};
}

// The list is made as it is walked, and nobody but the walker knows its beginning.
long walk(long cells, trawl::Lazy<Cell> list) {
  long sum = 0;
  for (; cells > 0; --cells) {
    const Cell& cell = trawl::force(list);
    sum += cell.value;
    list = cell.next;
  }
  return sum;
}

[[gnu::noinline]] trawl::Lazy<long> walker(long cells) {
  return trawl::lazy<walk>(cells, trawl::lazy<count_from>(0L));
}

int root(int argc, char** argv) {
  long thunks = 1'000'000;
  bool far = false;
  bool list = false;
  CLI::App app("Creates and drops thunks");
  app.add_option("thunks", thunks, "how many");
  app.add_flag("--across", far, "let other PEs make some of them");
  app.add_flag("--list", list, "as a list that is walked by a thunk");
  CLI11_PARSE(app, argc, argv);
  const auto begin = std::chrono::steady_clock::now();
  const long sum = list ? trawl::force(walker(thunks)) : far ? across(thunks) : locally(thunks);
  const std::chrono::duration<double> time = std::chrono::steady_clock::now() - begin;
  std::printf("sum %ld peak_kib %ld ns_per_thunk %.1f\n", sum, peak_kib(),
              time.count() * 1e9 / static_cast<double>(thunks));
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  return trawl::run<root>(argc, argv);
}
