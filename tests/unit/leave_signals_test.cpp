// Signals by which a PE leaves.
#include "rts/leave_signals.hpp"

#include <csignal>
#include <cstdlib>

#include <gtest/gtest.h>
#include <unistd.h>

namespace trawl {
namespace {

// On a busy host another thread may see the main PE gone before any has had the signal.
TEST(LeaveSignals, OneThatNobodyHasHandledYetCounts) {
  const auto is_told = [] {
    leave_by_signal();
    if (told_to_leave()) std::exit(1);
    sigset_t term;
    sigemptyset(&term);
    sigaddset(&term, SIGTERM);
    pthread_sigmask(SIG_BLOCK, &term, nullptr);
    kill(getpid(), SIGTERM);
    if (!told_to_leave()) std::exit(2);
    pthread_sigmask(SIG_UNBLOCK, &term, nullptr);
    std::exit(told_to_leave() ? 0 : 3);
  };
  EXPECT_EXIT(is_told(), testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace trawl
