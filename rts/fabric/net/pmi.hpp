// What a launcher that speaks PMI 1 (MPICH's mpiexec) tells PEs, and lets them tell each other:
// enough to meet without MPI.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace trawl::fabric::net {

class Pmi {
 public:
  /// Throws Error if no such launcher has started this process, or it does not answer as it should.
  Pmi();

  int rank() const noexcept { return rank_; }
  int size() const noexcept { return size_; }

  std::size_t longest_value() const noexcept { return 512; }
  /// `value` without spaces; to be read by all once all have met.
  void put(std::string_view name, std::string_view value);
  std::string get(std::string_view name);
  /// Waits for all.
  void meet();

 private:
  std::string ask(const std::string& line, std::string_view answer);
  std::string read_line();

  int file_;
  int rank_;
  int size_;
  std::string place_;  // where values are kept
  std::string read_;
};

}  // namespace trawl::fabric::net
