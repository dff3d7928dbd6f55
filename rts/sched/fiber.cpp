#include "rts/sched/fiber.hpp"

#include <csignal>
#include <cstring>
#include <memory>
#include <string>

#include <boost/context/detail/fcontext.hpp>
#include <cxxabi.h>
#include <unistd.h>

#if defined(__SANITIZE_ADDRESS__)
#include <pthread.h>
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif
#if defined(__SANITIZE_THREAD__)
#include <sanitizer/tsan_interface.h>
#endif

#include "rts/inline/error.hpp"
#include "rts/sched/fatal.hpp"
#include "rts/sched/stacks.hpp"

namespace trawl::sched {
namespace {

namespace context = boost::context::detail;

// Where the guard of the fiber that this OS thread is on begins.
constinit thread_local const std::byte* guard_here = nullptr;

// Each fiber has exceptions of its own in flight; libstdc++ keeps count of them by OS thread.
struct ExceptionState {
  void* caught;
  unsigned int uncaught;
};

// The compiler takes where these are kept for a constant, and would keep the address across a
// switch, after which this may be another OS thread.
[[gnu::noipa]] ExceptionState exceptions_here() {
  return *reinterpret_cast<ExceptionState*>(abi::__cxa_get_globals());
}
[[gnu::noipa]] void set_exceptions_here(ExceptionState state) {
  *reinterpret_cast<ExceptionState*>(abi::__cxa_get_globals()) = state;
}

}  // namespace

struct Fiber::Entry {
  static void enter(context::transfer_t from) {
    auto& left = *static_cast<Fiber*>(from.data);
    Fiber& self = *left.came_from_;
    self.came_from_ = &left;
    self.arrive(from.fctx);
    set_exceptions_here({});
    self.body_(self.argument_);
    __builtin_unreachable();
  }
};

Fiber::Fiber() {
#if defined(__SANITIZE_ADDRESS__)
  pthread_attr_t attributes;
  void* stack = nullptr;
  pthread_getattr_np(pthread_self(), &attributes);
  pthread_attr_getstack(&attributes, &stack, &size_);
  pthread_attr_destroy(&attributes);
  memory_ = static_cast<std::byte*>(stack);
#endif
#if defined(__SANITIZE_THREAD__)
  sanitizer_ = __tsan_get_current_fiber();
#endif
}

Fiber::Fiber(std::size_t bytes, void (*body)(void*), void* argument)
    : body_(body), argument_(argument) {
  const auto stack = take_stack(bytes);
  if (stack.empty())
    throw Error(
        "no memory for the stack of another thread; lower --trawl:thread-limit or "
        "--trawl:stack-size");
  memory_ = stack.data();
  size_ = stack.size();
  constexpr std::size_t above = 64;  // to the collector the stack's end may be a node's beginning
  record_.base = memory_ + size_ - above;
  context_ = context::make_fcontext(record_.base, size_ - above - stack_guard, &Entry::enter);
  record_.stack_pointer = context_;
  heap::add_stack(record_);
#if defined(__SANITIZE_THREAD__)
  sanitizer_ = __tsan_create_fiber(0);
#endif
}

Fiber::~Fiber() {
  if (body_ == nullptr) return;
  heap::remove_stack(record_);
#if defined(__SANITIZE_THREAD__)
  __tsan_destroy_fiber(sanitizer_);
#endif
#if defined(__SANITIZE_ADDRESS__)
  __asan_unpoison_memory_region(memory_, size_);  // of frames that were never left
#endif
  give_stack({memory_, size_});
}

heap::StackRecord& Fiber::record() noexcept {
  return body_ == nullptr ? heap::mutator().native() : record_;
}

void Fiber::switch_to(Fiber& next) {
  const auto exceptions = exceptions_here();
  came_from_ = &next;
  heap::mutator().begin_switch();
#if defined(__SANITIZE_ADDRESS__)
  __sanitizer_start_switch_fiber(&sanitizer_, next.memory_, next.size_);
#endif
#if defined(__SANITIZE_THREAD__)
  __tsan_switch_to_fiber(next.sanitizer_, 0);
#endif
  const auto back = context::jump_fcontext(next.context_, this);
  came_from_ = static_cast<Fiber*>(back.data);
  arrive(back.fctx);
  set_exceptions_here(exceptions);
}

// On whichever OS thread this fiber goes on.
[[gnu::noipa]] void Fiber::arrive(void* context_left) {
#if defined(__SANITIZE_ADDRESS__)
  __sanitizer_finish_switch_fiber(sanitizer_, nullptr, nullptr);
#endif
  came_from_->context_ = context_left;
  guard_here = body_ == nullptr ? nullptr : memory_;
  heap::mutator().end_switch(came_from_->record(), context_left, record());
}

// ---- stack overflow ----------------------------------------------------------------------------

namespace {

struct sigaction segv_before;

// Only what is safe in a signal handler.
void on_segv(int signal, siginfo_t* info, void* machine) {
  const auto* at = static_cast<const std::byte*>(info->si_addr);
  if (guard_here != nullptr && at >= guard_here && at < guard_here + stack_guard) {
    say_fatal("stack overflow",
              "recurse less deeply, or give threads more stack with --trawl:stack-size");
    end_is_meant();
    _exit(1);
  }
  if ((segv_before.sa_flags & SA_SIGINFO) != 0 && segv_before.sa_sigaction != nullptr)
    return segv_before.sa_sigaction(signal, info, machine);
  sigaction(SIGSEGV, &segv_before, nullptr);
}

class SignalStack {
 public:
  SignalStack() : memory_(new std::byte[size]) {
    stack_t stack{};
    stack.ss_sp = memory_.get();
    stack.ss_size = size;
    sigaltstack(&stack, nullptr);
  }
  ~SignalStack() {
    stack_t off{};
    off.ss_flags = SS_DISABLE;
    sigaltstack(&off, nullptr);
  }
  SignalStack(const SignalStack&) = delete;
  SignalStack& operator=(const SignalStack&) = delete;

 private:
  static constexpr std::size_t size = 64 * 1024;
  std::unique_ptr<std::byte[]> memory_;
};

}  // namespace

void catch_stack_overflow() {
  thread_local const SignalStack here;
  [[maybe_unused]] static const bool installed = [] {
    struct sigaction action {};
    action.sa_sigaction = &on_segv;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK;
    return sigaction(SIGSEGV, &action, &segv_before) == 0;
  }();
}

}  // namespace trawl::sched
