// What is on a PE that leaves, and known here by name, comes here, evaluated or not
// (rts/life/README.md, Leaving).
#pragma once

#include <cstdint>
#include <vector>

#include "rts/inline/node.hpp"

namespace trawl::heap {

class GlobalAddressTable;
class SharedHeap;

/// Guarded by its PE's lock.
class Homecoming {
 public:
  explicit Homecoming(std::uint32_t from) : from_(from) {}

  /// FETCHes as much as may be under way at once, and gives back the names of what is here. False:
  /// there is nothing (more).
  bool go_on(SharedHeap& heap);

 private:
  void look(GlobalAddressTable& addresses);

  std::uint32_t from_;
  std::vector<Node*> rest_;
  std::vector<Node*> asked_;
};

}  // namespace trawl::heap
