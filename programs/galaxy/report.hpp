// What a run says of its nodes, on standard error.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace galaxy {

/// One node in a step, or in several.
struct Node {
  std::uint64_t stars = 0;
  double tree = 0;    ///< seconds
  double forces = 0;  ///< seconds
};

class Report {
 public:
  /// A step that took so long.
  void add(const std::vector<Node>& nodes, double seconds);
  /// A line about the steps since the last one: what each node had, and how long it computed.
  void end_batch();
  /// A line about all of them.
  void end(double seconds);

 private:
  struct Steps {
    std::vector<Node> nodes;
    double seconds = 0;
    std::size_t count = 0;

    void add(const std::vector<Node>& its_nodes, double its_seconds);
    double communication() const;
    double imbalance() const;
  };

  Steps all_;
  Steps batch_;
  std::size_t batches_ = 0;
};

}  // namespace galaxy
