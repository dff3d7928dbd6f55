#include "rts/sched/fence.hpp"

#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "rts/inline/error.hpp"

namespace trawl::sched {

#if defined(__SANITIZE_THREAD__)

void heavy_fence() noexcept {}
void prepare_fences() {}

#else

void heavy_fence() noexcept {
  syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0);
}

void prepare_fences() {
  if (syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0) != 0)
    throw Error("this kernel has no membarrier(2); Trawl needs Linux 4.14 or newer", 2);
}

#endif

}  // namespace trawl::sched
