// nested_run HOW: calls trawl::run where it must not, or "twice".
#include <string>
#include <thread>

#include <trawl/trawl.hpp>

namespace {

int inner(int, char**) {
  return 5;
}

long runs(int) {
  char name[] = "inner";
  char* arguments[] = {name, nullptr};
  return trawl::run<inner>(1, arguments);
}

int outer(int argc, char** argv) {
  const std::string how = argc == 2 ? argv[1] : "";
  if (how == "root") return static_cast<int>(runs(0));
  if (how == "lazy") return static_cast<int>(trawl::force(trawl::lazy<runs>(0)));
  if (how == "thread") std::thread([] { runs(0); }).join();
  if (how == "elsewhere") {
    const auto x = trawl::par(trawl::lazy<runs>(0));
    while (!x.evaluated()) std::this_thread::yield();
  }
  return how == "twice" ? 0 : 99;
}

}  // namespace

int main(int argc, char** argv) {
  const int code = trawl::run<outer>(argc, argv);
  return code == 0 ? trawl::run<outer>(argc, argv) : code;
}
