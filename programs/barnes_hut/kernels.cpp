#include "programs/barnes_hut/kernels.hpp"

#include <stdexcept>

#include <fmt/format.h>
#if defined(__x86_64__)
#include <sys/platform/x86.h>
#endif

#include "programs/common/bad_input.hpp"

namespace bh {

const std::vector<Kernel>& kernels() {
  static const std::vector<Kernel> all = [] {
    std::vector<Kernel> list{{"portable", forces_portable, true}};
#if defined(__x86_64__)
    // GLIBC_TUNABLES can make glibc see a lesser processor, and so test unlike hosts on one.
    const bool avx2 = CPU_FEATURE_ACTIVE(AVX2) && CPU_FEATURE_ACTIVE(FMA);
    const bool avx512 = avx2 && CPU_FEATURE_ACTIVE(AVX512F) && CPU_FEATURE_ACTIVE(AVX512DQ) &&
                        CPU_FEATURE_ACTIVE(AVX512VL);
    list.push_back({"avx2", forces_avx2, avx2});
    list.push_back({"avx512", forces_avx512, avx512});
#endif
    return list;
  }();
  return all;
}

std::uint32_t choose_kernel(const std::string& name) {
  const auto& all = kernels();
  for (auto i = all.size(); i-- > 0;) {
    if (name == all[i].name && !all[i].usable)
      throw programs::BadInput(fmt::format("this host can't run the kernel {}", name));
    if (all[i].usable && (name == all[i].name || name == "best"))
      return static_cast<std::uint32_t>(i);
  }
  std::string names = "best";
  for (const auto& kernel : all)
    if (kernel.usable) names += fmt::format(", {}", kernel.name);
  throw programs::BadInput(fmt::format("there is no kernel {} here, but {}", name, names));
}

Forces forces_on(const View& view, const Places& bodies, std::size_t group,
                 const Settings& settings) {
  const Kernel& kernel = kernels().at(settings.kernel);
  if (!kernel.usable)
    throw std::runtime_error(fmt::format(
        "the main PE chose the kernel {}, which another's processor can't run: give --kernel NAME",
        kernel.name));
  return kernel.forces(view, bodies, group, settings);
}

}  // namespace bh
