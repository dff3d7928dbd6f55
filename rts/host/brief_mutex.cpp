#include "rts/host/brief_mutex.hpp"

#include <atomic>

namespace trawl {
namespace {

constinit thread_local std::atomic<int> held{0};

}  // namespace

bool BriefMutex::held_here() noexcept {
  return held.load(std::memory_order_relaxed) != 0;
}

// Not inlined: its caller may go on on another OS thread later, with an address kept from here.
[[gnu::noipa]] void BriefMutex::count(int more) noexcept {
  held.store(held.load(std::memory_order_relaxed) + more, std::memory_order_relaxed);
}

}  // namespace trawl
