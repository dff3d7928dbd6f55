// A process that trawl-run has started: a PE, or what starts PEs elsewhere.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <sys/types.h>

namespace trawl::launch {

struct Command {
  std::vector<std::string> words;
  std::vector<std::pair<std::string, std::string>> environment{};  ///< beside our own
  std::vector<int> files{};            ///< that it gets beside the usual three
  std::optional<std::string> input{};  ///< what it reads; none: nothing, or ours
  bool reads_ours = false;
};

/// It dies when we do, however that happens.
struct Child {
  pid_t process = -1;
  int out = -1;  ///< where its output comes
  int err = -1;
};

/// Throws Error if there are no more processes or files.
Child start(const Command& command);

/// As one word for a shell.
std::string quoted(const std::string& word);

}  // namespace trawl::launch
