// Collection: much is alive, and all pieces allocate; --trawl:heap-max leaves little room for what
// is not.
#include <vector>

#include <trawl/trawl.hpp>

using Values = std::vector<trawl::Lazy<long>>;

Values make(long number) {
  Values values;
  for (long i = 0; i < number; ++i) values.push_back(trawl::Lazy<long>(i));
  return values;
}

long allocate(long number) {
  long sum = 0;
  for (const auto& each : make(number)) sum += trawl::force(each);
  return sum;
}

int root() {
  const Values alive = make(200'000);
  std::vector<trawl::Lazy<long>> pieces;
  for (int i = 0; i < 800; ++i) pieces.push_back(trawl::par(trawl::lazy<allocate>(25'000L)));
  long sum = 0;
  for (const auto& each : pieces) sum += trawl::force(each);
  return sum > trawl::force(alive.back()) ? 0 : 1;
}

int main(int argc, char** argv) {
  return trawl::run<root>(argc, argv);
}
