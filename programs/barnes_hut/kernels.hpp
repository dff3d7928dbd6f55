// The forces on the bodies of a shard, by the best instructions that the host has.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "programs/barnes_hut/tree.hpp"

namespace bh {

/// In unit coordinates.
struct Force {
  float x, y, z;  ///< acceleration
  float potential;
};

/// What a walk sees: the top of the tree, and what of the domains below it is here. It is the same
/// for it, bit for bit, whatever is missing elsewhere; to open what is missing is an error.
struct View {
  const Top* top = nullptr;
  std::span<const Entry> domains;  ///< of the top, with an index into `images`
  std::span<const Inside> images;
};

/// On bodies that are neighbours on the curve, in their order.
struct Forces {
  std::vector<Force> forces;
  std::vector<std::uint32_t> acted;  ///< how many bodies and cells on each of a group
};

/// On `bodies` in groups of so many, by the kernel that the settings name; throws where this host
/// can't run it, as another chose it.
Forces forces_on(const View& view, const Places& bodies, std::size_t group,
                 const Settings& settings);

Forces forces_avx512(const View&, const Places&, std::size_t group, const Settings&);
Forces forces_avx2(const View&, const Places&, std::size_t group, const Settings&);
Forces forces_portable(const View&, const Places&, std::size_t group, const Settings&);

/// Kernels by number; a larger one is faster, and needs more of the host.
struct Kernel {
  const char* name;
  Forces (*forces)(const View&, const Places&, std::size_t group, const Settings&);
  bool usable;
};
const std::vector<Kernel>& kernels();

/// The number of the best that this host can run, or of the one with this name; throws BadInput.
std::uint32_t choose_kernel(const std::string& name);

}  // namespace bh
