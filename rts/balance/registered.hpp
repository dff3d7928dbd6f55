// Policies that the program brings along (rts/inline/policy.hpp).
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "rts/balance/policy.hpp"

namespace trawl::balance {

/// Trawl's own and the program's.
std::vector<std::string_view> all_policy_names();
/// nullptr: there is none of this name. Throws Error (exit code 2) when there are two.
std::unique_ptr<Policy> make_registered(std::string_view name);

}  // namespace trawl::balance
