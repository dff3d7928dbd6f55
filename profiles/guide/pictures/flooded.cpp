// Flooded: a thousand threads have begun, hold what they have made, and wait for the same value;
// then all go on at once, and each collection has to look at what all of them hold. With
// --trawl:thread-limit=16 few begin.
#include <vector>

#include <trawl/trawl.hpp>

using Values = std::vector<trawl::Lazy<long>>;

long gate(long micros) {
  trawl::work(micros * 1000);
  return 1;
}

long sum_of(const Values& values) {
  long sum = 0;
  for (const auto& each : values) sum += trawl::force(each);
  return sum;
}

Values make(long number) {
  Values values;
  for (long i = 0; i < number; ++i) values.push_back(trawl::Lazy<long>(i));
  return values;
}

long job(long number, const trawl::Lazy<long>& when) {
  const Values held = make(number);
  long sum = trawl::force(when);
  for (int i = 0; i < 20; ++i) sum += sum_of(make(number)) - sum_of(held);
  return sum;
}

int root() {
  const auto when = trawl::par(trawl::lazy<gate>(100'000L));
  std::vector<trawl::Lazy<long>> jobs;
  for (int i = 0; i < 1000; ++i) jobs.push_back(trawl::par(trawl::lazy<job>(2000L, when)));
  return sum_of(jobs) == 1000 ? 0 : 1;
}

int main(int argc, char** argv) {
  return trawl::run<root>(argc, argv);
}
