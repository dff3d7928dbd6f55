// The numbers up to 100, by skeletons: written to a file, read again, and summed. skeletons FILE
#include <iostream>
#include <stdexcept>
#include <string>

#include <trawl/dist.hpp>
#include <trawl/trawl.hpp>

long number(std::size_t i) {
  return static_cast<long>(i) + 1;
}
std::string line(long x) {
  return std::to_string(x) + "\n";
}
long value(const std::string& line) {
  return std::stol(line);
}
long plus(long a, long b) {
  return a + b;
}
long refused(long x) {
  if (x == 50) throw std::runtime_error("fifty");
  return x;
}

int root(int, char** argv) {
  const auto numbers = trawl::generate<number>(100);
  trawl::write<line>(numbers, argv[1]);
  const auto lines = trawl::rebalance(trawl::read_lines({argv[1]}), 10);
  const long sum = trawl::force(trawl::reduce<value, plus>(lines));
  try {
    trawl::map<refused>(numbers).size();
    return 1;
  } catch (const trawl::ElementError& e) {
    if (std::string(e.what()).find("fifty") == std::string::npos) return 1;
  }
  std::cout << sum << '\n';
  return 0;
}

int main(int argc, char** argv) {
  return trawl::run<root>(argc, argv);
}
