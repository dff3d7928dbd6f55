#include "rts/fabric/memory.hpp"

#include <cerrno>
#include <string>

#include <sys/uio.h>

#include "rts/inline/bytes.hpp"

namespace trawl::fabric {

void Memory::read(int pe, std::uint64_t at, std::span<std::byte> into) const {
  if (!shared_with(pe)) throw BadBytes("it lends memory of a PE that shares none");
  const pid_t process = processes_[static_cast<std::size_t>(pe)];
  while (!into.empty()) {
    const iovec here{into.data(), into.size()};
    const iovec there{reinterpret_cast<void*>(at), into.size()};
    const auto count = process_vm_readv(process, &here, 1, &there, 1, 0);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0 && errno == ESRCH)
      throw Gone("PE " + std::to_string(pe) + " is lost: its process is gone");
    if (count <= 0) throw BadBytes("it lends memory that can't be read");
    at += static_cast<std::uint64_t>(count);
    into = into.subspan(static_cast<std::size_t>(count));
  }
}

}  // namespace trawl::fabric
