#include "rts/balance/policy.hpp"

#include <string>

#include "rts/balance/registered.hpp"
#include "rts/inline/error.hpp"

namespace trawl::balance {
namespace {

struct Known {
  std::string_view name;
  std::unique_ptr<Policy> (*make)();
};

constexpr Known policies[] = {
    {"trawl", make_trawl}, {"targeted", make_targeted}, {"random", make_random}, {"rs", make_rs},
    {"crs", make_crs},     {"cmrs", make_cmrs},         {"acrs", make_acrs},
};

}  // namespace

std::uint32_t Policy::portion(const Tables&, const Fish&, const Supply&) const {
  return 1;
}

unsigned Policy::low_watermark(const Tables&, unsigned flag) const {
  return flag;
}

std::unique_ptr<Policy> make_policy(std::string_view name) {
  auto registered = make_registered(name);
  for (const auto& policy : policies) {
    if (policy.name != name) continue;
    if (registered == nullptr) return policy.make();
    throw Error("the program registers a policy '" + std::string(name) +
                    "', as one of Trawl's own is called: give it another name",
                2);
  }
  if (registered != nullptr) return registered;
  std::string names;
  for (const auto& each : all_policy_names())
    names += (names.empty() ? "" : ", ") + std::string(each);
  throw Error("there is no policy '" + std::string(name) + "': choose one of " + names, 2);
}

std::vector<std::string_view> policy_names() {
  std::vector<std::string_view> names;
  for (const auto& policy : policies) names.push_back(policy.name);
  return names;
}

}  // namespace trawl::balance
