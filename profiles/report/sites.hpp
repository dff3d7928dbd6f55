// In which lines of a program the sparks of each function are made.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "profiles/lines.hpp"
#include "rts/trace/format.hpp"

namespace trawl::profile {

/// By the code of the sparks: the lines, in the order of files and numbers.
using SitesByCode = std::map<std::uint32_t, std::vector<Line>>;

/// Collects the stacks that logs hold (Kind::spark_site); of very many only the first.
class Sites {
 public:
  static constexpr std::size_t most = 4096;
  static constexpr std::size_t longest = 64;

  void see(const trace::Header& header, const trace::Event& event);

  /// Of each stack the innermost line of the program itself. Reads the files that the PEs ran.
  SitesByCode result() const;

 private:
  struct Stack {
    std::uint32_t code;
    std::vector<std::uint32_t> places;

    friend auto operator<=>(const Stack&, const Stack&) = default;
  };
  using File = std::pair<std::string, std::string>;  // path, build

  std::map<File, std::set<Stack>> stacks_;
  std::size_t count_ = 0;
  std::map<std::pair<int, unsigned>, Stack> begun_;  // by PE and worker
};

}  // namespace trawl::profile
