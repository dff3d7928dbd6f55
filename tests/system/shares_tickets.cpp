// Each PE writes into an object that all share; prints what all of them have seen. For
// shared_test.py.
#include <iostream>
#include <vector>

#include <trawl/dist.hpp>
#include <trawl/trawl.hpp>

namespace {

using Log = std::vector<long>;

std::size_t add(Log& log, long entry) {
  log.push_back(entry);
  return log.size();
}
bool has(const Log& log, std::size_t entries) {
  return log.size() >= entries;
}
Log written(trawl::Shared<Log> log, long first, std::size_t all) {
  for (long i = 0; i < 100; ++i) trawl::force(log.write<add>(first + i));
  return *log.wait_until<has>(all);
}

int root() {
  const trawl::Shared<Log> log{Log()};
  const auto places = trawl::places();
  std::vector<trawl::Lazy<Log>> all;
  for (std::size_t p = 0; p < places.size(); ++p)
    all.push_back(
        trawl::apply<written>(places[p], log, static_cast<long>(1000 * p), 100 * places.size()));
  const Log& first = trawl::force(all.front());
  for (const auto& each : all)
    if (trawl::force(each) != first) {
      std::cout << "in another order\n";
      return 1;
    }
  std::cout << first.size() << " writes in one order\n";
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  return trawl::run<root>(argc, argv);
}
