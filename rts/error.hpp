// What goes wrong in the runtime, as exceptions.
#pragma once

#include <stdexcept>
#include <string>

namespace trawl {

/// The user's mistake or the machine's: one line naming the cause and the cure. `run` prints it and
/// exits with `exit_code`.
class Error : public std::runtime_error {
 public:
  explicit Error(const std::string& what, int exit_code = 1)
      : std::runtime_error(what), exit_code_(exit_code) {}

  int exit_code() const noexcept { return exit_code_; }

 private:
  int exit_code_;
};

/// Bytes from another PE (or from a file) that are not what they should be.
class BadBytes : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace trawl
