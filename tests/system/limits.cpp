// limits WHAT: a run that is limited by what it is called after, on any simulated grid. The report
// must name that.
//   healthy      more pieces than workers, neither long nor short
//   starved      pieces for two, whoever else is there
//   too-fine     pieces of a microsecond, each a thread of its own
//   too-coarse   few pieces, one of which takes as long as all others
//   late-start   the root prepares everything before it sparks
//   tail         one after the other, at the end, what nobody has begun with
//   blocking     each piece needs the one before it
//   collection   pieces that only allocate
#include <array>
#include <map>
#include <string>
#include <vector>

#include <trawl/trawl.hpp>

namespace {

constexpr long us = 1000;  // of the nanoseconds that work takes

long piece(long micros) {
  trawl::work(micros * us);
  return 1;
}

long last_piece(long micros) {
  return piece(micros);
}

long next(long micros, const trawl::Lazy<long>& before) {
  const long value = trawl::force(before);
  trawl::work(micros * us);
  return value + 1;
}

long allocate(long nodes) {
  long sum = 0;
  for (long i = 0; i < nodes; ++i)
    sum += trawl::force(trawl::Lazy<std::array<long, 30>>(std::array<long, 30>{1}))[0];
  return sum;
}

/// Sparks them all, and waits for each in turn.
long all(const std::vector<long>& micros) {
  std::vector<trawl::Lazy<long>> pieces;
  for (const long each : micros) pieces.push_back(trawl::par(trawl::lazy<piece>(each)));
  long sum = 0;
  for (const auto& each : pieces) sum += trawl::force(each);
  return sum;
}

long starved() {
  long sum = 0;
  for (int i = 0; i < 100; ++i) sum += all({1000, 1000});
  return sum;
}

long too_coarse() {
  std::vector<long> pieces(12, 1000);
  pieces.front() = 60'000;
  return all(pieces);
}

long late_start() {
  trawl::work(60'000 * us);
  return all(std::vector<long>(400, 1000));
}

long tail() {
  long sum = all(std::vector<long>(400, 1000));
  for (int i = 0; i < 50; ++i) sum += trawl::force(trawl::par(trawl::lazy<last_piece>(800L)));
  return sum;
}

// Others take them, and each waits for another's, as long as the root has something else to do.
long blocking() {
  trawl::Lazy<long> last(0);
  for (int i = 0; i < 200; ++i) last = trawl::par(trawl::lazy<next>(500L, last));
  trawl::work(50'000 * us);
  return trawl::force(last);
}

long collection() {
  std::vector<trawl::Lazy<long>> pieces;
  for (int i = 0; i < 40; ++i) pieces.push_back(trawl::par(trawl::lazy<allocate>(5000L)));
  long sum = 0;
  for (const auto& each : pieces) sum += trawl::force(each);
  return sum;
}

int root(int argc, char** argv) {
  const std::map<std::string, long (*)()> kinds{
      {"healthy", [] { return all(std::vector<long>(800, 1000)); }},
      {"starved", starved},
      {"too-fine", [] { return all(std::vector<long>(8000, 1)); }},
      {"too-coarse", too_coarse},
      {"late-start", late_start},
      {"tail", tail},
      {"blocking", blocking},
      {"collection", collection}};
  const auto kind = kinds.find(argc == 2 ? argv[1] : "");
  return kind != kinds.end() && kind->second() > 0 ? 0 : 2;
}

}  // namespace

int main(int argc, char** argv) {
  return trawl::run<root>(argc, argv);
}
