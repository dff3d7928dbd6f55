#include "rts/fabric/leaving.hpp"

#include <atomic>
#include <cstdio>
#include <iostream>

#include <unistd.h>

#include "rts/fabric/launcher.hpp"
#include "rts/fabric/neighbours.hpp"

namespace trawl::fabric {
namespace {

constinit std::atomic<void (*)() noexcept> own_farewell{nullptr};

}  // namespace

void set_farewell(void (*farewell)() noexcept) noexcept {
  own_farewell = farewell;
}

void leave(int code) {
  std::cout.flush();
  std::fflush(nullptr);
  Neighbours::say_leaving();
  if (const auto farewell = own_farewell.load()) farewell();
  say_goodbye();
  _exit(code);
}

}  // namespace trawl::fabric
