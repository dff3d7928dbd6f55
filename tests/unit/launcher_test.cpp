// Launchers that MPICH does not understand are told from those that it does.
#include "rts/fabric/launcher.hpp"

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <map>
#include <string>
#include <thread>

#include <gtest/gtest.h>
#include <pthread.h>
#include <sys/socket.h>
#include <unistd.h>

#include "rts/inline/error.hpp"

namespace trawl::fabric {
namespace {

using Environment = std::map<std::string, std::string>;

/// What it says to so many PEs; empty: nothing.
std::string said(const Environment& environment, int pes) {
  for (const auto& [name, value] : environment) setenv(name.c_str(), value.c_str(), 1);
  std::string text;
  try {
    check_launcher(pes);
  } catch (const Error& e) {
    EXPECT_EQ(e.exit_code(), 2);
    text = e.what();
  }
  for (const auto& [name, value] : environment) unsetenv(name.c_str());
  return text;
}

TEST(Launcher, OneOfSeveralMustNotBelieveToBeAlone) {
  const std::pair<Environment, const char*> cases[] = {
      {{{"PMIX_RANK", "0"}, {"OMPI_COMM_WORLD_SIZE", "4"}},
       "by Open MPI's mpiexec as one of 4 (OMPI_COMM_WORLD_SIZE)"},
      {{{"PMIX_RANK", "0"}, {"SLURM_STEP_NUM_TASKS", "3"}, {"SLURM_NTASKS", "8"}},
       "by Slurm's srun as one of 3 (SLURM_STEP_NUM_TASKS)"},
      {{{"SLURM_STEP_NUM_TASKS", "3"}}, "SLURM_STEP_NUM_TASKS"},
      {{{"PMIX_RANK", "0"}, {"SLURM_NTASKS", "8"}}, "as one of 8 (SLURM_NTASKS)"},
      {{{"PMIX_RANK", "2"}}, "as number 2 (PMIX_RANK)"},
      {{{"PMI_SIZE", "4"}, {"PMI_RANK", "0"}}, "as one of 4 (PMI_SIZE)"}};
  for (const auto& [environment, named] : cases) {
    EXPECT_NE(said(environment, 1).find(named), std::string::npos) << said(environment, 1);
    EXPECT_NE(said(environment, 1).find("mpiexec.mpich"), std::string::npos);
    EXPECT_EQ(said(environment, 3), "") << named;
  }
}

TEST(Launcher, WhoIsAloneIsNotRefused) {
  EXPECT_EQ(said({}, 1), "");
  EXPECT_EQ(said({{"PMI_SIZE", "1"}, {"SLURM_STEP_NUM_TASKS", "8"}, {"PMIX_RANK", "3"}}, 1), "");
  EXPECT_EQ(said({{"OMPI_COMM_WORLD_SIZE", "1"}, {"PMIX_RANK", "0"}}, 1), "");
  EXPECT_EQ(said({{"SLURM_NTASKS", "8"}}, 1), "");  // a batch script's own process
  EXPECT_EQ(said({{"SLURM_STEP_NUM_TASKS", "8"}, {"SLURM_PTY_PORT", "1"}}, 1), "");  // a shell
}

// Collections do that to whoever waits; a launcher whose answer finds nobody fails.
TEST(Launcher, IsWaitedForThroughSignals) {
  int fds[2];
  ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, fds), 0);
  setenv("PMI_FD", std::to_string(fds[0]).c_str(), 1);
  struct sigaction before {};
  struct sigaction nothing {};
  nothing.sa_handler = [](int) {};
  sigaction(SIGUSR1, &nothing, &before);
  std::atomic<bool> answered{false};
  std::thread launcher([&, caller = pthread_self()] {
    char said[64];
    EXPECT_GT(::read(fds[1], said, sizeof said), 0);
    for (int i = 0; i < 20; ++i) {
      pthread_kill(caller, SIGUSR1);
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    answered = true;
    EXPECT_EQ(::write(fds[1], "cmd=finalize_ack\n", 17), 17);
  });
  note_hello();
  say_goodbye();
  EXPECT_TRUE(answered);
  launcher.join();
  sigaction(SIGUSR1, &before, nullptr);
  unsetenv("PMI_FD");
  close(fds[0]);
  close(fds[1]);
}

}  // namespace
}  // namespace trawl::fabric
