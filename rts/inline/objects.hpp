// Replicated objects: what lang's Shared stands on.
#pragma once

#include <atomic>
#include <cstdint>

#include "node.hpp"
#include "shared_name.hpp"

namespace trawl::sched {

/// What an object is at some point in the order of its writes, on one PE. It is changed in place
/// where nobody else holds it.
struct Version {
  std::atomic<std::uint32_t> holders{1};
  const void* type;  ///< heap::type_tag of its class
  void (*destroy)(Version*);

  Version(const void* its_type, void (*its_destroy)(Version*))
      : type(its_type), destroy(its_destroy) {}
};

inline void let_go(Version* version) noexcept {
  if (version != nullptr && version->holders.fetch_sub(1, std::memory_order_acq_rel) == 1)
    version->destroy(version);
}

/// A version with one holder more, and how many writes are in it.
struct Snapshot {
  Version* version = nullptr;
  std::uint64_t writes = 0;
};

// All of these throw Error outside of a run.

SharedName new_object();
/// `call` is a thunk that nobody evaluates yet, of a call that `Writes` (code.hpp); its arguments
/// hold no reference to nodes, or this throws Error. It is evaluated once on every PE, between the
/// same other calls of this object; on this PE it is this node.
void write_object(const SharedName& object, heap::Node* call);
/// With all writes that have come here. Waits for the first.
Snapshot hold_object(const SharedName& object);
/// Returns when more writes than that have come here.
void await_write(const SharedName& object, std::uint64_t writes);
/// For the call that is being evaluated: where the object's version here is, to be changed, or
/// replaced where others hold it.
Version*& version_to_write(const SharedName& object);

}  // namespace trawl::sched
