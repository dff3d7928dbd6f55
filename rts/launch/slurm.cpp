#include "rts/launch/slurm.hpp"

#include <algorithm>
#include <cstdlib>
#include <string>

#include "rts/fabric/launcher.hpp"

namespace trawl::launch {
namespace {

using fabric::environment;

/// Of a variable like "2(x3)"; `otherwise` if it does not begin with one.
int first_number(const char* variable, int otherwise) {
  const int number = std::atoi(std::string(environment(variable)).c_str());
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

// Who asked for nodes only, or for tasks a node only, is not told how many tasks that makes; then
// SLURM_TASKS_PER_NODE counts processors.
Slurm slurm_here() {
  Slurm slurm;
  if (environment("SLURM_JOB_ID").empty()) return slurm;
  const auto nodes = first_number("SLURM_JOB_NUM_NODES", 1);
  const auto on_each = first_number("SLURM_NTASKS_PER_NODE", 1);
  const auto told = first_number("SLURM_NTASKS", 0);
  const auto tasks = told != 0 ? told : nodes * on_each;
  if (tasks < 2) return slurm;
  slurm.tasks = tasks;
  slurm.nodes = nodes;
  slurm.on_first = told != 0 ? first_number("SLURM_TASKS_PER_NODE", 1) : on_each;
  slurm.we_are_first =
      !environment("SLURMD_NODENAME").empty() && environment("SLURM_NODEID") == "0";
  return slurm;
}

}  // namespace trawl::launch
