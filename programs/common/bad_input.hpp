// What the user brought can't be used.
#pragma once

#include <stdexcept>
#include <string>

namespace programs {

/// A message that names the cause and the cure.
class BadInput : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Can a file of this name be written? Throws BadInput if not; ask before computing. It is not
/// opened: what is in it stays until there is something better, and who reads from a pipe goes on.
void check_writable(const std::string& file);
/// With all that are above it, where they are missing. Throws BadInput if it can't be made.
void make_folder(const std::string& folder);

}  // namespace programs
