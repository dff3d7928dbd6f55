// PEs rehearse a grid together, or none does: they could not read each other's messages.
#include "rts/fabric/rehearsal.hpp"

#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "rts/inline/error.hpp"
#include "tests/unit/still_host.hpp"

namespace trawl::fabric {
namespace {

/// One of two PEs of a host; what it sends goes nowhere.
class OneOfTwo final : public test::StillFabric {
 public:
  explicit OneOfTwo(bool all_here) : all_here_(all_here) {}
  int size() const noexcept override { return 2; }
  bool all_notify() const noexcept override { return all_here_; }
  Nanos now() const noexcept override { return clock_ += 1'000'000'000; }

 private:
  bool all_here_;
  mutable Nanos clock_ = 0;
};

/// The PEs' shared memory.
class Board {
 public:
  /// Does a PE begin to rehearse? Else it keeps its fabric, to say so.
  bool begins(bool all_here) {
    std::unique_ptr<Fabric> fabric = std::make_unique<OneOfTwo>(all_here);
    try {
      const Rehearsal rehearsal(
          fabric, parse_grid(R"({"clusters": [{"name": "a", "pes": 2}]})", "two.json"),
          std::as_writable_bytes(std::span(words_)));
      return true;
    } catch (const Error& e) {
      EXPECT_NE(std::string(e.what()).find("share memory"), std::string::npos) << e.what();
      EXPECT_EQ(e.exit_code(), 2);
      EXPECT_NE(fabric, nullptr);
      return false;
    }
  }

 private:
  std::vector<std::uint64_t> words_ = std::vector<std::uint64_t>(8'192);
};

TEST(Rehearsal, BeginsWhenAllShareTheBoard) {
  Board board;
  EXPECT_TRUE(board.begins(true));
  EXPECT_TRUE(board.begins(true));
  EXPECT_TRUE(board.begins(false)) << "another has seen all, so all are there";
}

TEST(Rehearsal, NobodyBeginsWhereOneIsNotThere) {
  Board board;
  EXPECT_FALSE(board.begins(false));
  EXPECT_FALSE(board.begins(true)) << "the others have given up, and talk plainly";
}

}  // namespace
}  // namespace trawl::fabric
