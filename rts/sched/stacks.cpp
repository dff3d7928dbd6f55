#include "rts/sched/stacks.hpp"

#include <array>
#include <mutex>

#include <sys/mman.h>
#include <unistd.h>

namespace trawl::sched {
namespace {

/// The last given first: its pages are in the cache. Never destroyed: fibers may be later.
struct Kept {
  std::mutex lock;
  std::array<std::span<std::byte>, 64> stacks;
  std::size_t count = 0;
};
constinit Kept kept;

// By marks in its pages: then stacks that lie side by side are one mapping, of which a process may
// have 65,530. Linux before 6.13 can't, and makes it a mapping of its own.
bool make_guard(void* memory) noexcept {
  constexpr int guard_install = 102;  // MADV_GUARD_INSTALL, which older headers do not have
  return madvise(memory, stack_guard, guard_install) == 0 ||
         mprotect(memory, stack_guard, PROT_NONE) == 0;
}

}  // namespace

std::span<std::byte> take_stack(std::size_t bytes) noexcept {
  static const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  const auto size = (bytes + page - 1) / page * page + stack_guard;
  {
    const std::lock_guard lock(kept.lock);
    while (kept.count != 0) {
      const auto last = kept.stacks[--kept.count];
      if (last.size() == size) return last;
      munmap(last.data(), last.size());  // of another run, with another --trawl:stack-size
    }
  }
  void* memory = mmap(nullptr, size, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
  if (memory == MAP_FAILED) return {};
  if (make_guard(memory)) return {static_cast<std::byte*>(memory), size};
  munmap(memory, size);
  return {};
}

void give_stack(std::span<std::byte> stack) noexcept {
  {
    const std::lock_guard lock(kept.lock);
    if (kept.count != kept.stacks.size()) {
      kept.stacks[kept.count++] = stack;
      return;
    }
  }
  munmap(stack.data(), stack.size());
}

}  // namespace trawl::sched
