// expect: ok
#include <string>
#include <vector>

#include <trawl/trawl.hpp>

namespace {
int with_strings(std::vector<std::string> words) {
  return static_cast<int>(words.size());
}
int with_const_strings(const std::vector<std::string>& words) {
  return static_cast<int>(words.size());
}
int with_nothing() {
  return 0;
}
}  // namespace

int main(int argc, char** argv) {
  return trawl::run<with_strings>(argc, argv) + trawl::run<with_const_strings>(argc, argv) +
         trawl::run<with_nothing>(argc, argv) + trawl::run<[] { return 0; }>(argc, argv);
}
