// expect: trawl: values that can only be moved would be copied here
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

Grid make(std::size_t size) {
  return Grid(size);
}

int main() {
  const auto grids = trawl::lazy_map<make>(std::vector<std::size_t>{1, 2});
  return static_cast<int>(trawl::force_all(grids).size());
}
