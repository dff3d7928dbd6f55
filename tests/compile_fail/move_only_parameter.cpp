// expect: trawl: a parameter that can only be moved is taken by const reference, as its thunk may
// be
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

std::size_t size(std::vector<Grid> grids) {
  return grids.size();
}

int main() {
  return static_cast<int>(trawl::force(trawl::lazy<size>(std::vector<Grid>(3))));
}
