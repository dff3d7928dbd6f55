// times WHAT NUMBER...: what is known of it the statistics must say.
//   alone SECONDS      the root computes, and has nothing for others
//   allocate MB        makes as much, by operator new and in nodes, and drops it at once
//   hold MB            keeps as much while it makes and drops five times that
//   ship MB TIMES      so many arrays are made on another PE and come here
#include <array>
#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include <trawl/dist/apply.hpp>
#include <trawl/trawl.hpp>

namespace {

using Clock = std::chrono::steady_clock;
using Numbers = std::vector<double>;

constexpr long megabyte = 1'000'000;

long alone(long seconds) {
  const auto end = Clock::now() + std::chrono::seconds(seconds);
  long turns = 0;
  while (Clock::now() < end) ++turns;
  return turns;
}

Numbers numbers(long megabytes) {
  return Numbers(static_cast<std::size_t>(megabytes * megabyte) / sizeof(double), 1.0);
}

// Half of it in strings of a thousand characters, half in nodes.
long allocate(long megabytes) {
  long sum = 0;
  for (long bytes = 0; bytes < megabytes * megabyte / 2; bytes += 1000)
    sum += static_cast<long>(std::string(1000, 'x').size());
  for (long bytes = 0; bytes < megabytes * megabyte / 2; bytes += 64)
    sum += trawl::force(trawl::Lazy<std::array<long, 7>>(std::array<long, 7>{1}))[0];
  return sum;
}

long hold(long megabytes) {
  const trawl::Lazy<Numbers> held(numbers(megabytes));
  double sum = 0;
  for (long i = 0; i < 5 * megabytes; ++i) sum += trawl::force(trawl::Lazy<Numbers>(numbers(1)))[0];
  return static_cast<long>(sum + trawl::force(held)[0]);
}

long ship(long megabytes, long times) {
  double sum = 0;
  for (long i = 0; i < times; ++i) {
    sum += trawl::force(trawl::apply<numbers>(trawl::places().back(), megabytes)).back();
  }
  return static_cast<long>(sum);
}

int root(int argc, char** argv) {
  if (argc < 3) return 2;
  const std::string_view what(argv[1]);
  const long number = std::stol(argv[2]);
  if (what == "alone") return alone(number) > 0 ? 0 : 1;
  if (what == "allocate") return allocate(number) > 0 ? 0 : 1;
  if (what == "hold") return hold(number) == 5 * number + 1 ? 0 : 1;
  if (what == "ship" && argc == 4)
    return ship(number, std::stol(argv[3])) == std::stol(argv[3]) ? 0 : 1;
  return 2;
}

}  // namespace

int main(int argc, char** argv) {
  return trawl::run<root>(argc, argv);
}
