// What functions are called in tables and sentences.
#pragma once

#include <string>
#include <vector>

#include "profiles/report/audit.hpp"

namespace trawl::profile {

/// Without parameters, arguments of templates, and unnamed namespaces; of what skeletons are made
/// of with the first argument: `map_shard<square>`. A lambda is `root::lambda`.
std::string short_name(const std::string& function);

/// Calls each by its short name; those that would be called the same with as much more as tells
/// them apart: arguments of templates (`piece<1>`), then parameters.
void tell_apart(std::vector<FunctionAudit>& functions);

}  // namespace trawl::profile
