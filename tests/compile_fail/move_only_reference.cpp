// expect: trawl: a result that can only be moved is returned by value, not by reference.
#include <vector>

#include <trawl/trawl.hpp>

class Grid {
 public:
  Grid() = default;
  explicit Grid(std::size_t size) : cells_(size) {}
  Grid(Grid&&) = default;
  Grid& operator=(Grid&&) = default;
  Grid(const Grid&) = delete;
  Grid& operator=(const Grid&) = delete;
  template <class Archive>
  void serialize(Archive& archive) {
    archive(cells_);
  }
  std::size_t size() const { return cells_.size(); }

 private:
  std::vector<double> cells_;
};

const Grid& same(const Grid& grid) {
  return grid;
}

int main() {
  return static_cast<int>(trawl::force(trawl::lazy<same>(Grid(3))).size());
}
