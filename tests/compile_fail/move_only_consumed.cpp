// expect: trawl: values that can only be moved would be copied here
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

int main() {
  trawl::Lazy<Grid> grid(Grid(3));
  return static_cast<int>(trawl::consume(std::move(grid)).size());
}
