#include "programs/galaxy/kernel.hpp"

#include <cstdint>
#if defined(__x86_64__)
#include <sys/platform/x86.h>
#endif

#include "programs/galaxy/stars.hpp"

namespace galaxy {
namespace {

// Newton's step alone leaves a root that is too small, by up to 1.752e-3 after the integer's and
// 1.15e-6 after that: half of it is added, so that it lies on both sides.
constexpr float first_scale = 1 + 1.752e-3F / 2;
constexpr float first_step = 1.5F * first_scale;
constexpr float second_scale = 1 + 1.15e-6F / 2;
constexpr float second_step = 1.5F * second_scale;

namespace four {
constexpr std::size_t lanes = 4;
#include "programs/galaxy/loops.hpp"
}  // namespace four

#if defined(__x86_64__)
#pragma GCC push_options
#pragma GCC target("avx2")
namespace eight {
constexpr std::size_t lanes = 8;
#include "programs/galaxy/loops.hpp"
}  // namespace eight
#pragma GCC target("avx512f")
namespace sixteen {
constexpr std::size_t lanes = 16;
#include "programs/galaxy/loops.hpp"
}  // namespace sixteen
#pragma GCC pop_options
#endif

using Sum = void (*)(const List&, Targets&);

// GLIBC_TUNABLES can make glibc see a lesser processor, and so compare them on one.
Sum best() {
#if defined(__x86_64__)
  if (CPU_FEATURE_ACTIVE(AVX512F)) return sixteen::sum;
  if (CPU_FEATURE_ACTIVE(AVX2)) return eight::sum;
#endif
  return four::sum;
}

}  // namespace

void Targets::resize(std::size_t count) {
  constexpr std::size_t most_lanes = 16;
  const auto padded = (count + most_lanes - 1) / most_lanes * most_lanes;
  for (auto* row : {&x, &y, &ax, &ay}) row->resize(padded);
  for (auto i = count; i < padded; ++i) x[i] = y[i] = 0;
}

void sum(const List& list, Targets& targets) {
  static const Sum its_best = best();
  its_best(list, targets);
}

}  // namespace galaxy
