#include <fmt/format.h>
#include <fmt/ranges.h>

#include "profiles/report/diagnosis.hpp"
#include "profiles/report/wording.hpp"

namespace trawl::profile {
namespace {

std::string sentence(std::string text) {
  if (!text.empty() && text[0] >= 'a' && text[0] <= 'z') text[0] = static_cast<char>(text[0] - 32);
  return text + ".";
}

std::string pes(const std::vector<int>& some, std::string_view what_one, std::string_view several) {
  if (some.empty()) return {};
  return fmt::format(" PE{} {} {}.", some.size() == 1 ? "" : "s", fmt::join(some, ", "),
                     some.size() == 1 ? what_one : several);
}

}  // namespace

std::string in_words(const Facts& facts, const std::vector<Finding>& findings) {
  if (is_unknown(facts))
    return "No thread is in these logs, which end early: nothing is known of the run.";
  auto text = fmt::format("{} ran threads for {} of {}",
                          counted(static_cast<std::uint64_t>(facts.workers), "worker"),
                          percent(facts.shares.busy), time(facts.seconds));
  if (findings.empty())
    text += fmt::format("; nothing stands out: no cause costs {} or more of their time",
                        percent(worth_saying));
  text += ".";
  text += pes(facts.lost, "was lost: what it had was evaluated again",
              "were lost: what they had was evaluated again");
  text += pes(facts.left, "has left", "have left");
  text += pes(facts.joined, "came while the run went on", "came while the run went on");
  for (const auto& finding : findings)
    text += fmt::format(" {} {}", sentence(finding.evidence), sentence(finding.advice));
  if (facts.lost_logs != 0)
    text += fmt::format(" {} of the logs end{} early, so what came later is not in these numbers.",
                        facts.lost_logs, facts.lost_logs == 1 ? "s" : "");
  return text;
}

std::string advice_for(const FunctionAudit& function, const Facts& facts) {
  const double mean = function.mean() / 1e9;
  const auto number = static_cast<double>(function.ran_threads);
  const double all = facts.seconds * facts.workers * 1e9;
  if (number > 100 && mean < fine) return fmt::format("too fine: {} on average", time(mean));
  if (function.code != root_code && !function.is_placed && facts.shares.idle() >= worth_saying &&
      static_cast<double>(function.longest) / 1e9 > 0.25 * facts.seconds)
    return fmt::format("too coarse: one ran for {}",
                       time(static_cast<double>(function.longest) / 1e9));
  if (!function.is_placed && function.imported > 16 && mean < facts.way &&
      function.imported > function.converted)
    return fmt::format("small for its way: {} on average, a FISH and its answer take {}",
                       time(mean), time(facts.way));
  if (function.code != root_code && facts.shares.blocked >= worth_saying &&
      function.blocked > 0.2 * all)
    return fmt::format("waits: {} in all", duration(function.blocked));
  return {};
}

}  // namespace trawl::profile
