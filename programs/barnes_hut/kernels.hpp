// The forces on some bodies of a domain, by the best instructions that the host has.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "programs/barnes_hut/tree.hpp"

namespace bh {

/// In unit coordinates.
struct Force {
  float x, y, z;  ///< acceleration
  float potential;
};

/// What it took.
struct Work {
  std::uint64_t bodies = 0;  ///< that acted on a body; without quadrupoles also cells
  std::uint64_t cells = 0;   ///< with quadrupoles, that acted on a body
  double walk = 0;           ///< seconds
  double kernel = 0;         ///< seconds

  Work& operator+=(const Work& other) {
    bodies += other.bodies;
    cells += other.cells;
    walk += other.walk;
    kernel += other.kernel;
    return *this;
  }
};

/// Where a walk gets a domain from when it opens one. It stays there as long as this lives.
class Domains {
 public:
  virtual Domain open(std::uint32_t number) = 0;

  double waited = 0;  ///< seconds, for domains to come

 protected:
  ~Domains() = default;
};

/// Some bodies of a domain: whole groups, but for the last.
struct Unit {
  std::uint32_t domain, begin, end;
};

/// The forces on the bodies of one unit or of several, in their order, and what they took.
struct UnitResult {
  std::vector<Force> forces;
  Work work;
};

/// By the kernel that the settings name; throws where this host can't run it, as another chose it.
UnitResult forces_on_unit(const Top& top, Domains& domains, const Unit& unit,
                          const Settings& settings);

UnitResult forces_avx512(const Top&, Domains&, const Unit&, const Settings&);
UnitResult forces_avx2(const Top&, Domains&, const Unit&, const Settings&);
UnitResult forces_portable(const Top&, Domains&, const Unit&, const Settings&);

/// Kernels by number; a larger one is faster, and needs more of the host.
struct Kernel {
  const char* name;
  UnitResult (*forces)(const Top&, Domains&, const Unit&, const Settings&);
  bool usable;
};
const std::vector<Kernel>& kernels();

/// The number of the best that this host can run, or of the one with this name; throws BadInput.
std::uint32_t choose_kernel(const std::string& name);

}  // namespace bh
