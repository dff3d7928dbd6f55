// Counts the lines of files, and those that were read on each PE. For skeletons_test.py.
#include <iostream>
#include <string>
#include <vector>

#include <trawl/dist.hpp>
#include <trawl/trawl.hpp>

namespace {

std::uint64_t bytes_in(const std::string& line) {
  return line.size() + 1;
}
std::uint64_t sum(std::uint64_t a, std::uint64_t b) {
  return a + b;
}
std::uint64_t hash_of(const std::vector<std::string>& lines) {
  std::uint64_t hash = 0;
  for (const auto& line : lines)
    for (const char c : line) hash = hash * 31 + static_cast<unsigned char>(c);
  return hash;
}

int root(std::vector<std::string> arguments) {
  const auto lines = trawl::read_lines({arguments.begin() + 1, arguments.end()});
  std::cout << lines.size() << " lines, " << trawl::force(trawl::reduce<bytes_in, sum>(lines))
            << " bytes, hash " << trawl::force(trawl::reduce<hash_of, sum>(lines)) << '\n';
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  return trawl::run<root>(argc, argv);
}
