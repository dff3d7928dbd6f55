// A recording that a test writes, and reads again.
#pragma once

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>

#include <gtest/gtest.h>
#include <unistd.h>

#include "profiles/replay/read_recording.hpp"
#include "rts/trace/record.hpp"
#include "tests/unit/units.hpp"

namespace replay {

using trawl::us;
using trawl::trace::Record;

class RecordingTest : public testing::Test {
 protected:
  void TearDown() override { std::filesystem::remove(file_); }

  /// What is read of what has been written.
  template <class Write>
  Graph graph(Write write) {
    Record record(file_, "test");
    write(record);
    record.close();
    EXPECT_EQ(record.trouble(), "");
    return read_recording(file_);
  }

  std::string refusal() {
    try {
      read_recording(file_);
    } catch (const trawl::Error& error) {
      EXPECT_EQ(error.exit_code(), 2);
      std::string what = error.what();
      EXPECT_TRUE(what.starts_with(file_ + ": byte ")) << what;
      return what.substr(std::min(what.size(), what.rfind(": ") + 2));
    }
    return "";
  }
  /// Either of both.
  std::string trouble() {
    const auto refused = refusal();
    return refused.empty() ? why_cut() : refused;
  }
  /// Of what is read up to there.
  std::string why_cut() {
    const auto what = read_recording(file_).cut_short;
    EXPECT_TRUE(what.starts_with(file_ + ": byte ")) << what;
    return what.substr(std::min(what.size(), what.rfind(": ") + 2));
  }
  void rewrite(std::size_t at, const std::string& bytes) {
    std::fstream out(file_, std::ios::binary | std::ios::in | std::ios::out);
    out.seekp(static_cast<std::streamoff>(at));
    out << bytes;
  }

  std::string file_ =
      (std::filesystem::path(testing::TempDir()) / ("trawl_recording_" + std::to_string(getpid())))
          .string();
};

/// "work spawn:3", each with its task.
inline std::string told(const Graph& graph, Number task) {
  constexpr const char* names[] = {"work", "spawn", "par", "sync", "force", "eval", "place", "use"};
  std::string text;
  const auto& t = graph.tasks[task];
  for (auto at = t.first; at < t.first + t.ops; ++at) {
    const Op op = graph.ops[at];
    if (!text.empty()) text += ' ';
    text += names[static_cast<int>(op.step())];
    text += ':' + std::to_string(op.step() == Step::work ? op.time() / us : op.task());
  }
  return text;
}

}  // namespace replay
