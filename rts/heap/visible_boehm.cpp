#define GC_THREADS
#include <cstdint>
#include <cstdio>

#include <gc/gc.h>
#include <gc/gc_mark.h>
#include <link.h>

#include "rts/heap/collect.hpp"
#include "rts/heap/visible.hpp"
#include "rts/inline/error.hpp"

namespace trawl::heap {
namespace {

struct Range {
  std::uintptr_t begin = 0;
  std::uintptr_t end = 0;

  bool contains(std::uintptr_t place) const noexcept { return begin <= place && place < end; }
};

// Ours, from here up.
[[gnu::noinline]] bool on_this_stack(std::uintptr_t place) noexcept {
  const auto here = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
  return Range{here, reinterpret_cast<std::uintptr_t>(mutator().current().base)}.contains(place);
}

bool in_scanned_block(const void* place) noexcept {
  const void* block = GC_base(const_cast<void*>(place));
  if (block == nullptr) return false;
  constexpr int plain = 0;  // the collector's own kinds
  constexpr int plain_uncollectable = 3;
  const int kind = GC_get_kind_and_size(block, nullptr);
  return kind != plain && kind != plain_uncollectable;
}

// Data of the program and its libraries, and this thread's own.
int look_into(dl_phdr_info* info, std::size_t, void* place) {
  const auto at = reinterpret_cast<std::uintptr_t>(place);
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const auto& segment = info->dlpi_phdr[i];
    auto begin = info->dlpi_addr + segment.p_vaddr;
    if (segment.p_type == PT_TLS)
      begin = reinterpret_cast<std::uintptr_t>(info->dlpi_tls_data);
    else if (segment.p_type != PT_LOAD || (segment.p_flags & PF_W) == 0)
      continue;
    if (begin != 0 && Range{begin, begin + segment.p_memsz}.contains(at)) return 1;
  }
  return 0;
}

// Stacks of others: what is mapped there is one. (It may be more: then nothing is refused.)
bool on_other_stack(std::uintptr_t place) noexcept {
  std::FILE* maps = std::fopen("/proc/self/maps", "re");
  if (maps == nullptr) return true;
  bool found = false;
  char line[512];
  while (!found && std::fgets(line, sizeof line, maps) != nullptr) {
    Range range;
    if (std::sscanf(line, "%lx-%lx", &range.begin, &range.end) == 2 && range.contains(place))
      found = has_stack_between(reinterpret_cast<const void*>(range.begin),
                                reinterpret_cast<const void*>(range.end));
  }
  std::fclose(maps);
  return found;
}

}  // namespace

bool can_see(const void* place) noexcept {
  const auto at = reinterpret_cast<std::uintptr_t>(place);
  return on_this_stack(at) || in_scanned_block(place) ||
         dl_iterate_phdr(&look_into, const_cast<void*>(place)) != 0 || on_other_stack(at);
}

void refuse_unseen(const void* place) {
  if (!can_see(place))
    throw Error(
        "a Lazy was put where the collector doesn't look, so what it refers to would be taken: it "
        "may not lie in memory of malloc or mmap, nor in an exception; use operator new, a "
        "standard container or a variable");
}

}  // namespace trawl::heap
