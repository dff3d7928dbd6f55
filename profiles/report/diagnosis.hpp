// What limited a run and what to try, in words. Facts in, sentences out: no file, no clock.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "profiles/report/audit.hpp"
#include "profiles/report/facts.hpp"

namespace trawl::profile {

enum class Limit : std::uint8_t {
  starved,
  flooded,
  too_fine,
  too_coarse,
  slow_pe,
  slow_link,
  collection,
  blocking,
  late_start,
  tail,
  fishing,
  thread_limit,
  full_pool,
  uneven,
};

std::string_view name_of(Limit limit);

struct Finding {
  Limit limit;
  double cost = 0;       ///< share of all workers' time that it explains
  std::string evidence;  ///< a sentence, with its numbers
  std::string advice;    ///< a sentence
};

/// Costs less than this share of the workers' time, and is not worth a word.
inline constexpr double worth_saying = 0.1;
/// s: a thread this short takes longer to make than it is worth.
inline constexpr double fine = 20e-6;

/// What costs most first; empty for a healthy run.
std::vector<Finding> diagnose(const Facts& facts);

/// How busy the workers were, and all findings: the paragraph.
std::string in_words(const Facts& facts, const std::vector<Finding>& findings);

/// What to change about a function first, or nothing.
std::string advice_for(const FunctionAudit& function, const Facts& facts);

}  // namespace trawl::profile
