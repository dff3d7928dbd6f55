#include "rts/host/locking_code.hpp"

#include <cstddef>
#include <string_view>

#include <link.h>

namespace trawl {
namespace {

struct Search {
  std::string_view name;
  std::uintptr_t begin = 0;
  std::uintptr_t end = 0;
};

int look_into(dl_phdr_info* library, std::size_t, void* argument) {
  auto& search = *static_cast<Search*>(argument);
  const std::string_view path = library->dlpi_name;
  if (path.substr(path.rfind('/') + 1).substr(0, search.name.size()) != search.name) return 0;
  for (int i = 0; i < library->dlpi_phnum; ++i) {
    const auto& segment = library->dlpi_phdr[i];
    if (segment.p_type != PT_LOAD || (segment.p_flags & PF_X) == 0) continue;
    search.begin = library->dlpi_addr + segment.p_vaddr;
    search.end = search.begin + segment.p_memsz;
  }
  return 1;
}

}  // namespace

LockingCode::LockingCode(const char* name) {
  Search search{name};
  dl_iterate_phdr(&look_into, &search);
  begin_ = search.begin;
  end_ = search.end;
}

}  // namespace trawl
