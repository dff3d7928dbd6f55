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

int main() {
  const std::vector<Grid> grids(3);
  trawl::apply(grids, trawl::par_list(trawl::rdeepseq));
  return static_cast<int>(grids.size());
}
