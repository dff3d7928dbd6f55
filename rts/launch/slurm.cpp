#include "rts/launch/slurm.hpp"

#include <algorithm>
#include <cstdlib>

#include "rts/launch/environment.hpp"

namespace trawl::launch {
namespace {

/// Of a text like "2(x3)"; `otherwise` if it does not begin with one.
int first_number(const std::string& text, int otherwise) {
  const int number = std::atoi(text.c_str());
  return number > 0 ? number : otherwise;
}

// A site may want steps to end when one of their tasks does: here the run goes on.
std::vector<std::string> step(int tasks, int nodes, int first) {
  return {"srun",
          "--ntasks=" + std::to_string(tasks),
          "--nodes=" + std::to_string(nodes),
          "--relative=" + std::to_string(first),
          "--input=none",
          "--overlap",
          "--kill-on-bad-exit=0",
          "--wait=0"};
}

}  // namespace

std::vector<std::vector<std::string>> Slurm::steps(int others) const {
  std::vector<std::vector<std::string>> steps;
  if (others <= 0) return steps;
  if (!we_are_first) return {step(others, std::min(nodes, others), 0)};
  const int near = nodes == 1 ? others : std::min(on_first - 1, others);
  if (near > 0) steps.push_back(step(near, 1, 0));
  const int far = others - near;
  if (far > 0) steps.push_back(step(far, std::min(nodes - 1, far), 1));
  return steps;
}

Slurm slurm_here() {
  Slurm slurm;
  const auto tasks = first_number(variable("SLURM_NTASKS"), 0);
  if (variable("SLURM_JOB_ID").empty() || tasks < 2) return slurm;
  slurm.tasks = tasks;
  slurm.nodes = first_number(variable("SLURM_JOB_NUM_NODES"), 1);
  slurm.on_first = first_number(variable("SLURM_TASKS_PER_NODE"), 1);
  slurm.we_are_first = !variable("SLURMD_NODENAME").empty() && variable("SLURM_NODEID") == "0";
  return slurm;
}

}  // namespace trawl::launch
