// expect: ok
#include <utility>
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

struct Both {
  Grid left;
  Grid right;
  template <class Archive>
  void serialize(Archive& archive) {
    archive(left, right);
  }
};
struct Row {
  int number = 0;
  std::vector<Grid> grids;
};

Grid grow(const Grid& grid, std::size_t by) {
  return Grid(grid.size() + by);
}
Grid make(std::size_t size) {
  return Grid(size);
}
Both both(const std::pair<Grid, Grid>& grids) {
  return {Grid(grids.first.size()), Grid(grids.second.size())};
}
Row row(const Both& grids) {
  Row all;
  all.grids.push_back(Grid(grids.left.size()));
  return all;
}
Grid circular(const trawl::Lazy<Grid>&, const Grid& grid) {
  return Grid(grid.size());
}

int main() {
  Grid grid(3);
  const auto x = trawl::lazy<grow>(std::move(grid), 4U);
  const auto y = trawl::lazy<grow>(x, 4U);
  const auto z = trawl::par(trawl::lazy<both>(std::pair(Grid(1), Grid(2))));
  const auto r = trawl::lazy<row>(z);
  const trawl::Lazy<Grid> there(Grid(5));
  const auto f = trawl::fix<circular>(Grid(2));
  auto s = trawl::spawn<grow>(Grid(4), 3U);
  auto v = trawl::spawn([](const auto& all) { return all.size(); }, std::vector<Grid>(3));
  auto all = trawl::spawn_all<make>(std::vector<std::size_t>{1, 2});
  const std::vector<Grid> grids = trawl::par_map<make>(std::vector<std::size_t>{1, 2}, 2);
  trawl::rdeepseq(r);
  return static_cast<int>(trawl::force(y).size() + s.sync().size() + v.sync() + grids.size() +
                          all.sync().size() + trawl::force(there).size() + trawl::force(f).size());
}
