// A program's own load management, chosen by --trawl:policy=NAME: Policy, PolicyView and
// PolicyRegistration.
#pragma once

#include <trawl/inline/policy.hpp>
