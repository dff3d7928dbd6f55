// expect: trawl: a value of this type can't travel to another PE
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

struct Named {
  int name = 0;
  Grid grid;
};

std::size_t size(const Named& named) {
  return named.grid.size();
}

int main() {
  return static_cast<int>(trawl::force(trawl::lazy<size>(Named())));
}
