// endings HOW: a program that ends in one of the ways in which programs shouldn't, or lasts too
// long.
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <sstream>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <sys/wait.h>
#include <trawl/trawl.hpp>
#include <unistd.h>

namespace {

using Clock = std::chrono::steady_clock;

/// Computes without a call to the runtime.
/// A long function: as busy as any, for all that others can see, but for its core.
long stay_for(double seconds) {
  std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
  return 0;
}

/// Needs more stack than there is: 4 KiB for each of a million calls.
[[gnu::noinline]] long bottomless(long depth) {
  volatile char frame[4096];
  frame[0] = static_cast<char>(depth);
  return depth > 1'000'000 ? 0 : bottomless(depth + 1) + frame[0];
}

trawl::Lazy<long> itself;

/// Needs its own value.
long ouroboros(int) {
  return trawl::force(itself);
}

long fib(int n) {
  if (n < 2) return n;
  auto x = trawl::spawn<fib>(n - 1);
  const long y = fib(n - 2);
  return x.sync() + y;
}

long exits(int code) {
  std::exit(code);
}

long throws(int) {
  throw std::out_of_range("beyond the end");
}

long segfaults(long address) {
  volatile auto at = reinterpret_cast<volatile long*>(address);
  return *at;
}

long divides_by(int zero) {
  volatile int one = 1;
  return one / zero;
}

long aborts(int) {
  std::abort();
}

long terminates(int) noexcept {
  return throws(0);
}

long ends_at_once(int code) {
  _exit(code);
}

long quick_exits(int code) {
  std::quick_exit(code);
}

/// Lets another worker or PE evaluate a thunk, however long that takes, and needs it then.
template <auto F, class... A>
int elsewhere(A... arguments) {
  const auto x = trawl::par(trawl::lazy<F>(arguments...));
  while (!x.evaluated()) stay_for(0.01);
  std::cout << trawl::force(x) << '\n';
  return 0;
}

int needs_itself() {
  itself = trawl::lazy<ouroboros>(0);
  trawl::force(itself);
  return 0;
}

struct Count {
  int n = 0;
  void add(int k) { n += k; }
};
bool is_two(const Count& count) {
  return count.n >= 2;
}
int comes(const trawl::Shared<Count>& count) {
  count.write<&Count::add>(1);
  return count.wait_until<is_two>()->n;
}

/// Each of two calls waits for what the other does.
int needs_a_spark() {
  const trawl::Shared<Count> count{Count{}};
  const auto other = trawl::par(trawl::lazy<comes>(count));
  return comes(count) + trawl::force(other) - 2;
}

int forces_outside() {
  try {
    return trawl::blocking([] { return static_cast<int>(trawl::force(trawl::lazy<fib>(9))); });
  } catch (const trawl::Error&) {
    return 6;
  }
}

int endless() {
  while (true) std::cout << fib(30) << std::endl;
}

/// Ends when it has had a second of the processor, however long it has to wait for that.
int one_second() {
  std::cout << "begun" << std::endl;
  while (std::clock() < CLOCKS_PER_SEC) fib(25);
  std::cout << "done" << std::endl;
  return 0;
}

/// Work for everybody at the end that would take hours, and nobody waits for it.
int with_work_left() {
  std::vector<trawl::Lazy<long>> all;
  for (int i = 0; i < 100; ++i) all.push_back(trawl::par(trawl::lazy<stay_for>(10'000.0)));
  stay_for(0.3);
  return 7;
}

/// Everybody is inside a function that does not come back.
int for_ever() {
  for (int i = 0; i < 100; ++i) trawl::par(trawl::lazy<stay_for>(10'000.0));
  stay_for(0.3);
  std::cout << "begun" << std::endl;
  stay_for(10'000);
  return 0;
}

/// What is written there is in the file once its destructor has run.
std::ofstream static_file;

struct LastWords {
  ~LastWords() {
    if (text.empty()) return;
    std::vector<std::string> parts;
    for (int i = 0; i < 10'000; ++i) parts.emplace_back(100, '*');
    std::cout << text << '\n';
  }
  std::string text;
} last_words;

int with_static_objects() {
  static_file.open(std::getenv("ENDINGS_FILE"));
  static_file << fib(25);
  last_words.text = "destroyed";
  return 7;
}

int exit_with_static_objects() {
  with_static_objects();
  std::exit(5);
}

/// What may still be done when the run is over: anything but running Trawl code.
int after_the_run(int code) {
  std::vector<trawl::Lazy<long>> all;
  for (long i = 0; i < 1'000'000; ++i) {  // several collections
    all.push_back(trawl::lazy<stay_for>(1.0));
    if (all.size() > 1000) all.clear();
  }
  try {
    trawl::force(trawl::lazy<stay_for>(0.0));
  } catch (const trawl::Error&) {
    std::cout << "refused\n";
  }
  std::cout << "returned " << code << '\n';
  return 9;
}

/// After some work for everybody.
/// Everybody is at rest meanwhile: longer than it takes to see a deadlock.
int waits_outside() {
  return trawl::blocking([] {
    std::this_thread::sleep_for(std::chrono::milliseconds(400));
    return 7;
  });
}

std::atomic<bool> waits{false};

long waits_for_hours(long n) {
  trawl::blocking([] {
    waits = true;
    std::this_thread::sleep_for(std::chrono::hours(10));
  });
  return n;
}

int returns_while_another_waits() {
  const auto other = trawl::par(trawl::lazy<waits_for_hours>(1L));
  trawl::blocking([] {
    while (!waits) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  });
  return 7;
}

int last_line() {
  std::cout << fib(25) << std::endl;
  return 0;
}

/// Waits for a line that nobody sends.
int reads() {
  std::cout << getpid() << std::endl;
  for (std::string line; std::getline(std::cin, line);) stay_for(0);
  return 0;
}

// As after an execl that has failed.
int child_exits() {
  const auto child = fork();
  if (child == 0) std::exit(11);
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

int root(int argc, char** argv) {
  const std::map<std::string, int (*)()> ways{
      {"code-7", [] { return 7; }},
      {"code-7-with-work-left", with_work_left},
      {"exception", []() -> int { throw std::out_of_range("beyond the end"); }},
      {"exception-elsewhere", [] { return elsewhere<throws>(0); }},
      {"exit-5", []() -> int { std::exit(5); }},
      {"starts-another",
       [] {
         const auto self = std::filesystem::read_symlink("/proc/self/exe").string();
         return WEXITSTATUS(std::system((self + " code-7").c_str()));
       }},
      {"exit-5-after-a-spark",
       []() -> int {
         trawl::force(trawl::par(trawl::lazy<fib>(9)));
         std::exit(5);
       }},
      {"exit-5-with-static-objects", exit_with_static_objects},
      {"child-exits", child_exits},
      {"exits-in-a-call", [] { return static_cast<int>(trawl::force(trawl::lazy<exits>(0))); }},
      {"ends-at-once-in-root", [] { return static_cast<int>(ends_at_once(0)); }},
      {"goes-on", last_line},
      {"waits-outside", waits_outside},
      {"returns-while-another-waits", returns_while_another_waits},
      {"static-objects", with_static_objects},
      {"last-line", last_line},
      {"exit-5-elsewhere", [] { return elsewhere<exits>(5); }},
      {"aborts", [] { return elsewhere<aborts>(0); }},
      {"divides_by", [] { return elsewhere<divides_by>(0); }},
      {"ends_at_once", [] { return elsewhere<ends_at_once>(0); }},
      {"quick_exits", [] { return elsewhere<quick_exits>(0); }},
      {"segfaults", [] { return elsewhere<segfaults>(8L); }},
      {"segfaults-in-root", [] { return static_cast<int>(segfaults(8)); }},
      {"terminates", [] { return elsewhere<terminates>(0); }},
      {"needs-itself", needs_itself},
      {"needs-a-spark", needs_a_spark},
      {"forces-outside", forces_outside},
      {"one-second", one_second},
      {"overflow", [] { return static_cast<int>(bottomless(0)); }},
      {"overflow-elsewhere", [] { return elsewhere<bottomless>(0L); }},
      {"endless", endless},
      {"reads", reads},
      {"for-ever", for_ever}};
  return argc == 2 && ways.contains(argv[1]) ? ways.at(argv[1])() : 99;
}

}  // namespace

extern "C" int MPI_Initialized(int* flag);

/// May never return, and no ending may depend on it.
extern "C" int MPI_Finalize() {
  while (true) std::this_thread::sleep_for(std::chrono::hours(1));
}

/// The runtime asks between joining the others and saying HELLO. ENDINGS_JOINING: "PE late ms", or
/// "PE killed ms", for some of them.
extern "C" int gethostname(char* name, std::size_t size) {
  const auto* orders = std::getenv("ENDINGS_JOINING");
  const auto* rank = std::getenv("PMI_RANK");
  int joined = 0;  // MPI asks, too
  MPI_Initialized(&joined);
  std::istringstream all(orders != nullptr && rank != nullptr && joined != 0 ? orders : "");
  int pe = 0;
  int ms = 0;
  for (std::string what; all >> pe >> what >> ms;) {
    const std::chrono::milliseconds time(ms);
    if (pe != std::stoi(rank)) continue;
    if (what == "late") std::this_thread::sleep_for(time);
    if (what == "killed")
      std::thread([time] {
        std::this_thread::sleep_for(time);
        kill(getpid(), SIGKILL);
      }).detach();
  }
  std::strncpy(name, "anywhere", size);
  return 0;
}

/// Whoever waits in one of these keeps the core from those that it waits for: no start depends on
/// them.
extern "C" int MPI_Comm_dup() {
  return MPI_Finalize();
}
extern "C" int MPI_Comm_split_type() {
  return MPI_Finalize();
}
extern "C" int MPI_Allgather() {
  return MPI_Finalize();
}
extern "C" int MPI_Allreduce() {
  return MPI_Finalize();
}
extern "C" int MPI_Barrier() {
  return MPI_Finalize();
}
extern "C" int MPI_Bcast() {
  return MPI_Finalize();
}
extern "C" int MPI_Win_allocate_shared() {
  return MPI_Finalize();
}

int main(int argc, char** argv) {
  const int code = trawl::run<root>(argc, argv);
  return argc >= 2 && argv[1] == std::string("goes-on") ? after_the_run(code) : code;
}
