// The heap's protocol while messages arrive in any order.
#include <algorithm>

#include <gtest/gtest.h>

#include "rts/heap/shared_heap.hpp"
#include "tests/unit/cells.hpp"
#include "tests/unit/heap_grid.hpp"

namespace trawl::heap {
namespace {

using test::HeapGrid;

using test::ballast_of;
using test::Cell;
using test::make_cell;

struct Case {
  int pes;
  Weight full_weight;
  PackLimits limits;
};

class SharingAnyOrder : public ::testing::TestWithParam<Case> {};

// Programs make thunks out of thunks they know, need some, spark some; PEs get to know thunks by
// what is brought to them. Whatever happens when: all that was needed comes, with its right value.
class Chaos {
 public:
  Chaos(const Case& c, std::uint64_t seed)
      : grid_(c.pes, c.full_weight, c.limits, seed), known_(static_cast<std::size_t>(c.pes)) {
    for (auto& each : known_) each.reserve(1000);
    grid_.meanwhile = [this](int pe) { meanwhile(pe); };
  }

  void run(int steps) {
    for (int i = 0; i < steps; ++i) step();
    while (grid_.deliver()) {
    }
    EXPECT_EQ(grid_.weights_out(), grid_.weights_held()) << "debts included";
    grid_.settle();
    EXPECT_EQ(grid_.asleep(), 0);
    EXPECT_EQ(grid_.blocking_queues(), 0U);
    EXPECT_EQ(grid_.weights_out(), grid_.weights_held());
    for (int pe = 0; pe < grid_.size(); ++pe) walk(pe);
    grid_.send_frees();
    grid_.settle();
    EXPECT_EQ(grid_.weights_out(), grid_.weights_held());
  }
  std::size_t delivered() const { return grid_.delivered(); }
  std::size_t happened_meanwhile() const { return meanwhile_; }

 private:
  struct Known {
    Lazy<Cell> cell;
    long value;
  };

  std::vector<Known>& known(int pe) { return known_[static_cast<std::size_t>(pe)]; }
  Known pick(int pe) {
    auto& all = known(pe);
    return all.empty() || grid_.random(8) == 0
               ? Known{}
               : all[static_cast<std::size_t>(grid_.random(all.size()))];
  }

  void step() {
    const int pe = grid_.random(static_cast<std::size_t>(grid_.size()));
    switch (grid_.random(9)) {
      case 0: {
        const long value = next_++;
        known(pe).push_back({lazy<make_cell>(value, pick(pe).cell, pick(pe).cell), value});
        return;
      }
      case 1:
        if (const auto it = pick(pe); it.cell) grid_.demand(pe, it.cell.node());
        return;
      case 2:
        if (const auto it = pick(pe); it.cell && grid_.size() > 1) {
          const auto other = 1 + grid_.random(static_cast<std::size_t>(grid_.size()) - 1);
          grid_[pe].export_spark(it.cell.node(), (pe + other) % grid_.size());
        }
        return;
      case 3:
        discover(pe);
        return;
      case 4:
        grid_.work(pe);
        return;
      case 5:
        grid_[pe].addresses().sweep();
        grid_[pe].send_frees();
        return;
      default:
        grid_.deliver();
        return;
    }
  }

  // Whatever brings no nodes to the PE that reads.
  void meanwhile(int pe) {
    ++meanwhile_;
    switch (grid_.random(4)) {
      case 0:
        if (const auto it = pick(pe); it.cell && it.cell.node()->state() != State::unevaluated)
          grid_.demand(pe, it.cell.node());
        return;
      case 1:
        if (const auto it = pick(pe); it.cell && grid_.size() > 1)
          grid_[pe].export_spark(it.cell.node(), (pe + 1) % grid_.size());
        return;
      case 2:
        grid_[pe].addresses().sweep();
        grid_[pe].send_frees();
        return;
      default:
        const auto& letters = grid_.under_way();
        for (std::size_t i = 0; i < letters.size(); ++i) {
          const auto kind = static_cast<fabric::Kind>(letters[i].bytes.front());
          if (letters[i].to == pe && (kind == fabric::Kind::fetch || kind == fabric::Kind::free))
            return grid_.deliver(i);
        }
    }
  }

  // A program gets at what a value refers to.
  void discover(int pe) {
    const auto it = pick(pe);
    if (!it.cell || it.cell.node()->state() != State::value) return;
    const auto& value = ResultOf<Cell>::get(it.cell.node());
    for (const auto& part : {value.left, value.right})
      if (part) known(pe).push_back({part, -1});
  }

  // Needs everything that can be reached, and looks at it.
  void walk(int pe) {
    for (std::size_t i = 0; i < known(pe).size(); ++i) {
      const auto it = known(pe)[i];
      grid_.demand(pe, it.cell.node());
      grid_.settle();
      ASSERT_EQ(it.cell.node()->state(), State::value);
      if (it.value >= 0) {
        const auto& cell = ResultOf<Cell>::get(it.cell.node());
        EXPECT_EQ(cell.value, 3 * it.value);
        EXPECT_EQ(std::count(cell.ballast.begin(), cell.ballast.end(), it.value),
                  it.value % 20 == 1 ? static_cast<long>(ballast_of(it.value)) : 0);
      }
    }
    EXPECT_EQ(grid_.asleep(), 0);
  }

  HeapGrid grid_;
  std::vector<std::vector<Known>> known_;
  long next_ = 0;
  std::size_t meanwhile_ = 0;
};

TEST_P(SharingAnyOrder, AllThatIsNeededComes) {
  std::size_t delivered = 0;
  std::size_t meanwhile = 0;
  for (std::uint64_t seed = 1; seed <= 300 && !HasFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Chaos chaos(GetParam(), seed);
    chaos.run(1000);
    delivered += chaos.delivered();
    meanwhile += chaos.happened_meanwhile();
  }
  EXPECT_GT(meanwhile, 100U);
  EXPECT_GT(delivered, 15'000U);
}

INSTANTIATE_TEST_SUITE_P(Grids, SharingAnyOrder,
                         ::testing::Values(Case{2, 1U << 16U, {}}, Case{3, 1U << 16U, {}},
                                           Case{3, 1, {}}, Case{5, 2, {200, 1}}, Case{4, 4, {0, 0}},
                                           Case{8, 1U << 16U, {64, 100}}));

}  // namespace
}  // namespace trawl::heap
