#include "rts/sched/fatal.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <charconv>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <string_view>
#include <vector>

#include <sys/syscall.h>
#include <unistd.h>

#include "rts/heap/code.hpp"
#include "rts/heap/failure.hpp"
#include "rts/sched/workers.hpp"

namespace trawl {
namespace {

// 0: nobody watches. A child of the program's own is not this PE.
constinit std::atomic<pid_t> watched{0};
constinit std::array<char, 320> who{};
constinit bool of_many = false;  // PEs, whose numbers are to be said
// Of functions, by their codes' ids: made before, as a signal handler can't.
constinit const std::vector<std::string>* names = nullptr;

/// One line, written at once: what a signal handler may do.
class Line {
 public:
  Line& operator<<(std::string_view part) noexcept {
    const auto size = std::min(part.size(), text_.size() - 1 - size_);
    std::memcpy(text_.data() + size_, part.data(), size);
    size_ += size;
    return *this;
  }
  void write() noexcept {
    text_[size_++] = '\n';
    [[maybe_unused]] const auto written = ::write(STDERR_FILENO, text_.data(), size_);
  }

 private:
  std::array<char, 1024> text_;
  std::size_t size_ = 0;
};

/// The first half of what is said, once: a terminate is an abort, too.
bool begin(Line& line) noexcept {
  auto process = getpid();
  if (!watched.compare_exchange_strong(process, 0)) return false;
  line << "trawl: " << who.data();
  if (of_many && sched::this_worker != nullptr) {
    std::array<char, 16> number{};
    const auto pe = sched::this_worker->workers().fabric().self();
    *std::to_chars(number.data(), number.data() + number.size() - 1, pe).ptr = '\0';
    line << " PE " << number.data();
  }
  line << ": ";
  return true;
}

/// The function that the thread began with; those that it has called are not known.
std::string_view function() noexcept {
  if (sched::this_worker == nullptr || !sched::this_worker->running()) return {};
  const auto* code = sched::this_worker->running_code();
  return code == nullptr ? std::string_view("the program's root") : (*names)[code->id];
}

void say(std::string_view what, std::string_view more = {}) noexcept {
  Line line;
  if (!begin(line)) return;
  line << what;
  if (!function().empty()) line << " in " << function();
  if (!more.empty()) line << ": " << more;
  line.write();
}

struct Fatal {
  int signal;
  std::string_view name;
};
constexpr std::array fatal{
    Fatal{SIGSEGV, "segmentation fault (SIGSEGV)"}, Fatal{SIGBUS, "bus error (SIGBUS)"},
    Fatal{SIGFPE, "arithmetic error (SIGFPE)"},     Fatal{SIGILL, "illegal instruction (SIGILL)"},
    Fatal{SIGABRT, "abort() was called (SIGABRT)"}, Fatal{SIGSYS, "bad system call (SIGSYS)"},
};

// The second time it ends the process as it would have, with a core if cores are wanted.
void on_signal(int signal, siginfo_t*, void*) {
  for (const auto& each : fatal)
    if (each.signal == signal) say(each.name);
  std::signal(signal, SIG_DFL);
  raise(signal);
}

void on_terminate() {
  const auto* failure = std::current_exception() ? heap::current_failure() : nullptr;
  const auto text =
      failure == nullptr ? std::string()
      : failure == heap::lost_failure()
          ? std::string("a value that was lost with a PE is needed where nothing may be thrown")
          : failure->type_name + (failure->message.empty() ? "" : ": ") + failure->message;
  say("std::terminate was called", text);
  std::abort();
}

[[noreturn]] void end(const char* call, int code) noexcept {
  Line line;
  if (begin(line)) {
    line << call << " was called";
    if (!function().empty()) line << " in " << function();
    line << "; let it throw an exception instead";
    line.write();
    code = code == 0 ? 1 : code;
  }
  while (true) syscall(SYS_exit_group, code);
}

void watch(const std::string& text) {
  text.copy(who.data(), who.size() - 1);
  auto* all = new std::vector<std::string>;
  const auto& codes = heap::CodeTable::get();
  for (std::uint32_t id = 0; id < codes.size(); ++id)
    all->push_back(heap::short_name(codes.at(id)));
  names = all;
  watched = getpid();
  for (const auto& each : fatal) {
    struct sigaction action {};
    if (sigaction(each.signal, nullptr, &action) != 0 || action.sa_handler != SIG_DFL) continue;
    action.sa_sigaction = &on_signal;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK;
    sigaction(each.signal, &action, nullptr);
  }
  if (std::get_terminate() == &__gnu_cxx::__verbose_terminate_handler)
    std::set_terminate(&on_terminate);
  at_quick_exit([] {
    if (watched == getpid()) end("quick_exit()", 1);
  });
}

}  // namespace

void watch_for_fatal_ends(int pe, const std::string& host) {
  watch("PE " + std::to_string(pe) + " on " + host);
}

void watch_for_fatal_ends_in_simulation() {
  of_many = true;
  watch("simulated");
  on_exit(
      [](int code, void*) {
        if (watched != getpid()) return;
        std::fflush(stdout);
        end("exit()", code);
      },
      nullptr);
}

void say_fatal(std::string_view what, std::string_view advice) noexcept {
  if (who[0] != '\0') return say(what, advice);
  Line line;
  line << "trawl: " << what << ": " << advice;
  line.write();
}

void end_is_meant() noexcept {
  watched = 0;
}

}  // namespace trawl

// The program's calls come here instead of to the C library, which does not call its own by name.
// Sanitizers have their own.
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
extern "C" [[noreturn]] void _exit(int code) {
  trawl::end("_exit()", code);
}
extern "C" [[noreturn]] void _Exit(int code) {
  trawl::end("_Exit()", code);
}
#endif
