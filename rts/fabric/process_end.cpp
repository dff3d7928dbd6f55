#include "rts/fabric/process_end.hpp"

#include <atomic>
#include <cstdio>
#include <iostream>

#include <pthread.h>
#include <unistd.h>

#include "rts/fabric/launcher.hpp"
#include "rts/fabric/neighbours.hpp"
#include "rts/host/clocks.hpp"

namespace trawl::fabric {
namespace {

constinit std::atomic<void (*)() noexcept> own_farewell{nullptr};

constinit std::atomic<bool> all_flushed{false};

// fflush(nullptr) waits for each file's lock, and who reads from the standard input holds that
// one's until something comes. glibc gets to it last.
void flush_all() {
  std::fflush(stdout);
  std::fflush(stderr);
  if (ftrylockfile(stdin) == 0) {
    funlockfile(stdin);
    std::fflush(nullptr);
    return;
  }
  pthread_t helper{};
  const auto flush = [](void*) -> void* {
    std::fflush(nullptr);
    all_flushed = true;
    return nullptr;
  };
  if (pthread_create(&helper, nullptr, flush, nullptr) != 0) return;
  constexpr Nanos patience = 1'000'000'000;
  const auto give_up = wall_time() + patience;
  while (!all_flushed && wall_time() < give_up) usleep(1000);
}

}  // namespace

void set_farewell(void (*farewell)() noexcept) noexcept {
  own_farewell = farewell;
}

void leave(int code) {
  std::cout.flush();
  flush_all();
  Neighbours::say_leaving();
  if (const auto farewell = own_farewell.load()) farewell();
  say_goodbye();
  _exit(code);
}

}  // namespace trawl::fabric
