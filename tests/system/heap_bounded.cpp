// Creates and drops thunks, here or across PEs; prints the most memory that this PE ever held.
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <vector>

#include <CLI/CLI.hpp>
#include <gmpxx.h>
#include <sys/resource.h>
#include <trawl/trawl.hpp>

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

// What is spawned walks it, and its arguments stay in this frame.
[[gnu::noinline]] long spawned(long cells) {
  auto sum = trawl::spawn<walk>(cells, trawl::lazy<count_from>(0L));
  return sum.sync();
}

std::vector<double> numbers(long megabytes) {
  return std::vector<double>(static_cast<std::size_t>(megabytes << 17), 1.0);
}

// Values that their maker needs before anybody has taken their sparks. Only the last one's is the
// newest, and taken back.
long sparked(long rounds) {
  long sum = 0;
  for (long i = 0; i < rounds; ++i) {
    std::vector<trawl::Lazy<std::vector<double>>> values;
    for (long k = 0; k < 4; ++k) values.push_back(trawl::par(trawl::lazy<numbers>(8L)));
    for (const auto& value : values) sum += static_cast<long>(trawl::force(value).size());
  }
  return sum;
}

/// Of GMP, which has its memory from malloc.
struct Integer {
  mpz_class value;

  template <class Archive>
  void save(Archive& archive) const {
    std::size_t count = 0;
    std::vector<std::uint64_t> words(mpz_size(value.get_mpz_t()));
    mpz_export(words.data(), &count, -1, sizeof words[0], 0, 0, value.get_mpz_t());
    archive(words);
  }
  template <class Archive>
  void load(Archive& archive) {
    std::vector<std::uint64_t> words;
    archive(words);
    mpz_import(value.get_mpz_t(), words.size(), -1, sizeof words[0], 0, 0, words.data());
  }
};

Integer power_of_two(unsigned long exponent) {
  return {mpz_class(1) << exponent};
}
Integer plus(const Integer& a, const Integer& b) {
  return {a.value + b.value};
}

// Arguments, results, and what comes from other PEs: of 100 kB each.
long integers(long rounds) {
  long sum = 0;
  for (long i = 0; i < rounds; ++i) {
    std::vector<trawl::Lazy<Integer>> values;
    for (unsigned long k = 0; k < 10; ++k)
      values.push_back(trawl::par(trawl::lazy<power_of_two>(800'000 + k)));
    Integer all;
    for (const auto& value : values)
      all = trawl::force(trawl::lazy<plus>(all, trawl::force(value)));
    sum += static_cast<long>(mpz_popcount(all.value.get_mpz_t()));
  }
  return sum;
}

int root(int argc, char** argv) {
  long thunks = 1'000'000;
  bool far = false;
  bool list = false;
  bool spawns = false;
  bool sparks = false;
  bool gmp = false;
  CLI::App app("Creates and drops thunks");
  app.add_option("thunks", thunks, "how many");
  app.add_flag("--across", far, "let other PEs make some of them");
  app.add_flag("--list", list, "as a list that is walked by a thunk");
  app.add_flag("--spawned", spawns, "as a list that is walked by a spawned call");
  app.add_flag("--sparked", sparks, "four times as many arrays of 8 MB, sparked and forced");
  app.add_flag("--integers", gmp, "ten times as many integers of GMP, added up");
  CLI11_PARSE(app, argc, argv);
  const auto begin = std::chrono::steady_clock::now();
  const long sum = sparks   ? sparked(thunks)
                   : gmp    ? integers(thunks)
                   : list   ? trawl::force(walker(thunks))
                   : spawns ? spawned(thunks)
                   : far    ? across(thunks)
                            : locally(thunks);
  const std::chrono::duration<double> time = std::chrono::steady_clock::now() - begin;
  std::printf("sum %ld peak_kib %ld ns_per_thunk %.1f\n", sum, peak_kib(),
              time.count() * 1e9 / static_cast<double>(thunks));
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  return trawl::run<root>(argc, argv);
}
