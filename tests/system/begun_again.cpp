// begun_again FILE HOW: the first time, as FILE is not there yet, its run loses what can't be made
// again, or its main PE. It prints a line before, and the answer after that.
#include <csignal>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <string>

#include <trawl/dist.hpp>
#include <trawl/trawl.hpp>
#include <unistd.h>

namespace {

long squared(std::size_t i) {
  return static_cast<long>(i * i);
}

long same(long x) {
  return x;
}

long added(long a, long b) {
  return a + b;
}

int process_of(int) {
  return getpid();
}

int root(int, char** argv) {
  const std::string file = argv[1];
  const std::string how = argv[2];
  const bool first = !std::filesystem::exists(file);
  std::ofstream(file) << how;

  std::string input;
  std::cin >> input;
  std::cout << "given " << input << std::endl;
  if (how == "otherwise") std::cout << "start " << (first ? 1 : 2) << std::endl;
  if (how == "more" && first) std::cout << "this once" << std::endl;

  const auto data = trawl::generate<squared>(100);
  trawl::force(trawl::reduce<same, added>(data));
  if (first || how.ends_with("always")) {
    const auto victim = how.starts_with("main")
                            ? getpid()
                            : trawl::force(trawl::apply<process_of>(trawl::places().back(), 0));
    kill(victim, SIGKILL);
  }
  std::cout << trawl::force(trawl::reduce<same, added>(data)) << std::endl;
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  return trawl::run<root>(argc, argv);
}
