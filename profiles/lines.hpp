// Places in a program's file, and the lines of its source that they come from.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace trawl::profile {

/// A line of source.
struct Line {
  std::string file;  ///< as the compiler was told
  int number = 0;    ///< 0: not known

  friend auto operator<=>(const Line&, const Line&) = default;
};

/// "queens.cpp:55"
std::string to_string(const Line& line);

/// What a program's file says of its source; nothing, if it is not there any more, is another than
/// the one of this build, or was compiled without line numbers (-g1).
class Lines {
 public:
  Lines(const std::string& path, const std::string& build);
  ~Lines();
  Lines(const Lines&) = delete;
  Lines& operator=(const Lines&) = delete;

  /// Of the calls on a stack, as logs and recordings have it, the innermost that is neither Trawl's
  /// nor the standard library's; number 0: there is none, or the file does not say.
  Line of_program(std::span<const std::uint32_t> stack) const;

 private:
  /// Of calls that were compiled into each other, the innermost first.
  std::vector<Line> at(std::uint32_t place) const;

  struct File;
  std::unique_ptr<File> file_;
};

}  // namespace trawl::profile
