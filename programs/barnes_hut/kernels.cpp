#include "programs/barnes_hut/kernels.hpp"

#include <chrono>

#include <fmt/format.h>

#include "programs/common/command.hpp"

namespace bh {

const std::vector<Kernel>& kernels() {
  static const std::vector<Kernel> all = [] {
    std::vector<Kernel> list{{"portable", forces_portable, true}};
#if defined(__x86_64__)
    __builtin_cpu_init();
    const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
    const bool avx512 = avx2 && __builtin_cpu_supports("avx512f") &&
                        __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
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
  throw programs::BadInput(fmt::format("there is no kernel {} here", name));
}

UnitResult forces_on_unit(const Top& top, Domains& domains, const Unit& unit,
                          const Settings& settings) {
  return kernels().at(settings.kernel).forces(top, domains, unit, settings);
}

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace bh
