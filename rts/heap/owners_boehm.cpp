// Values whose memory the collector doesn't know of (GMP's numbers, say): it can't see that there
// is much garbage.
#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdio>
#include <mutex>

#include <fcntl.h>
#include <malloc.h>
#include <unistd.h>

#include "rts/heap/collect.hpp"
#include "rts/heap/weak.hpp"

namespace trawl::heap {
namespace {

class Growth {
 public:
  /// A value has been made.
  void note() {
    if (until_look_.fetch_sub(1, std::memory_order_relaxed) <= 1) look();
  }

 private:
  // Asking malloc takes the longer the more it has free.
  static std::size_t resident() {
    static const int statm = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
    std::array<char, 128> text{};
    std::size_t all = 0;
    std::size_t shared = 0;
    if (pread(statm, text.data(), text.size() - 1, 0) <= 0 ||
        std::sscanf(text.data(), "%*u %zu %zu", &all, &shared) != 2)
      return 0;
    static const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    return (all - shared) * page;
  }

  // Collects when as much has been added as pays for looking at all that is alive. The next look is
  // when half of what is left may have been made, of values like the last ones.
  void look() {
    const std::unique_lock lock(lock_, std::try_to_lock);
    if (!lock) return;
    std::size_t now = resident();
    const std::size_t enough = std::max(least, before_ / 2);
    if (now > before_ + enough) {
      collect();
      run_finalisers();
      malloc_trim(0);  // what is free must not count the next time
      now = resident();
      before_ = now;
    }
    before_ = std::min(before_, now);
    const std::size_t each = now > last_ ? (now - last_) / static_cast<std::size_t>(pace_) : 0;
    const std::size_t left = before_ + enough - now;
    pace_ = std::clamp(static_cast<long>(left / 2 / std::max(each, std::size_t{1})), 1L,
                       std::min(2 * pace_, slowest));
    last_ = now;
    until_look_.store(pace_, std::memory_order_relaxed);
  }

  static constexpr std::size_t least = std::size_t{64} << 20U;
  static constexpr long slowest = 100;

  std::atomic<long> until_look_{1};
  std::mutex lock_;
  std::size_t before_ = 0;  // after the last collection
  std::size_t last_ = 0;
  long pace_ = 1;
};

constinit Growth its_growth;

}  // namespace

void on_death_of_owner(void* object, void (*gone)(void*, void*)) {
  on_death(object, gone, nullptr);
  its_growth.note();
}

}  // namespace trawl::heap
