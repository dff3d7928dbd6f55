#include "rts/host/memory.hpp"

#include <algorithm>
#include <fstream>

#include <sys/resource.h>
#include <unistd.h>

namespace trawl {
namespace {

double page() {
  return static_cast<double>(sysconf(_SC_PAGESIZE));
}

}  // namespace

double memory_of_host() {
  return static_cast<double>(sysconf(_SC_PHYS_PAGES)) * page();
}

double memory_in_use(double bound, std::size_t unused) {
  double mapped = 0;
  double resident = 0;
  if (!(std::ifstream("/proc/self/statm") >> mapped >> resident)) return 0;
  auto share = std::max(resident * page() - static_cast<double>(unused), 0.0) / bound;
  rlimit most{};
  if (getrlimit(RLIMIT_AS, &most) == 0 && most.rlim_cur != RLIM_INFINITY)
    share = std::max(share, (mapped * page() - static_cast<double>(unused)) /
                                static_cast<double>(most.rlim_cur));
  return share;
}

}  // namespace trawl
