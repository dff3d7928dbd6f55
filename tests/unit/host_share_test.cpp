// Which part of its host is a PE's: bindings and control groups, the latter in faked trees.
#include <algorithm>
#include <atomic>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <limits>
#include <string>
#include <thread>
#include <utility>

#include <gtest/gtest.h>
#include <sched.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "rts/host/quota.hpp"
#include "rts/host/share.hpp"

namespace trawl {
namespace {

namespace fs = std::filesystem;
constexpr double unlimited = std::numeric_limits<double>::infinity();

TEST(Place, PesWithTheSameCoresShareThem) {
  const Cores all{0, 1, 2, 3};
  EXPECT_DOUBLE_EQ(cores_for(all, {all}), 4);
  EXPECT_DOUBLE_EQ(cores_for(all, {all, all}), 2);
  EXPECT_DOUBLE_EQ(cores_for(all, {all, all, all}), 4.0 / 3);
}

TEST(Place, ABoundPeHasItsOwnCores) {
  EXPECT_DOUBLE_EQ(cores_for({0, 1}, {{0, 1}, {2, 3}}), 2);
  EXPECT_DOUBLE_EQ(cores_for({2, 3}, {{0, 1}, {2, 3}, {4, 5}, {6, 7}}), 2);
  EXPECT_DOUBLE_EQ(cores_for({5}, {{4}, {5}, {6}}), 1);
}

TEST(Place, CoresAreSharedWhereBindingsOverlap) {
  EXPECT_DOUBLE_EQ(cores_for({0, 1}, {{0, 1}, {1, 2}}), 1.5);
  EXPECT_DOUBLE_EQ(cores_for({0, 1, 2, 3}, {{0, 1, 2, 3}, {0}}), 3.5);
  EXPECT_DOUBLE_EQ(cores_for({0}, {{0, 1, 2, 3}, {0}}), 0.5);
}

TEST(Place, AWorkerForEachCoreThatIsThere) {
  EXPECT_EQ((HostShare{4}.workers(192)), 4);
  EXPECT_EQ((HostShare{8.0 / 3}.workers(192)), 2);
  EXPECT_EQ((HostShare{1.0 / 3 + 1.0 / 3 + 1.0 / 3}.workers(192)), 1);
  EXPECT_EQ((HostShare{0.25}.workers(192)), 1);
  EXPECT_EQ((HostShare{8, 0.3}.workers(192)), 1);
  EXPECT_EQ((HostShare{8, 2}.workers(192)), 2);
  EXPECT_EQ((HostShare{8, 2.5}.workers(192)), 3);
  EXPECT_EQ((HostShare{2, 2.5}.workers(192)), 2);
  EXPECT_EQ((HostShare{1024}.workers(192)), 192);
}

TEST(Place, AQuotaIsDividedAmongTheWorkers) {
  EXPECT_DOUBLE_EQ((HostShare{8}.speed(100, 8)), 100);
  EXPECT_DOUBLE_EQ((HostShare{8, 0.3}.speed(100, 1)), 30);
  EXPECT_DOUBLE_EQ((HostShare{8, 2.4}.speed(100, 3)), 80);
  EXPECT_DOUBLE_EQ((HostShare{8, 4}.speed(100, 2)), 100);
  EXPECT_TRUE((HostShare{2, 4}.has_room_for(2)));
  EXPECT_FALSE((HostShare{1.5, 4}.has_room_for(2)));
  EXPECT_FALSE((HostShare{2, 1.5}.has_room_for(2)));
}

TEST(Place, AloneAProcessHasItsCores) {
  EXPECT_DOUBLE_EQ(share_of_host(1, {}).cores, usable_cores());
  EXPECT_DOUBLE_EQ(share_of_host(1, {getpid()}).cores, usable_cores());
  EXPECT_DOUBLE_EQ(share_of_host(4, {}).cores, usable_cores() / 4.0);
  EXPECT_DOUBLE_EQ(share_of_host(4, {getpid(), 0x7FFF'FFFF}).cores, usable_cores() / 4.0);
}

/// Another process, bound to some cores, as long as this lives.
class Neighbour {
 public:
  explicit Neighbour(const Cores& cores) : process_(fork()) {
    if (process_ != 0) return;
    bind(cores);
    while (true) pause();
  }
  ~Neighbour() {
    kill(process_, SIGKILL);
    waitpid(process_, nullptr, 0);
  }
  Neighbour(const Neighbour&) = delete;
  Neighbour& operator=(const Neighbour&) = delete;

  static void bind(const Cores& cores) {
    cpu_set_t set;
    CPU_ZERO(&set);
    for (const auto core : cores) CPU_SET(core, &set);
    sched_setaffinity(0, sizeof set, &set);
  }

  /// Once it is bound.
  pid_t process(std::size_t cores) const {
    cpu_set_t set;
    while (sched_getaffinity(process_, sizeof set, &set) == 0 &&
           static_cast<std::size_t>(CPU_COUNT(&set)) != cores)
      usleep(1000);
    return process_;
  }

 private:
  pid_t process_;
};

// Else all PEs of a host begin on the same core, the last that they looked at.
TEST(Place, LookingAtTheHostBindsNobody) {
  const auto looker = static_cast<pid_t>(syscall(SYS_gettid));
  std::atomic<bool> done{false};
  int least = usable_cores();
  std::thread watcher([&] {
    cpu_set_t cores;
    while (!done && sched_getaffinity(looker, sizeof cores, &cores) == 0)
      least = std::min(least, CPU_COUNT(&cores));
  });
  for (int i = 0; i < 100; ++i) share_of_host(1, {});
  done = true;
  watcher.join();
  EXPECT_EQ(least, usable_cores());
}

TEST(Place, NeighboursAreAskedForTheirBindings) {
  cpu_set_t before;
  ASSERT_EQ(sched_getaffinity(0, sizeof before, &before), 0);
  Cores all;
  for (unsigned core = 0; core < CPU_SETSIZE; ++core)
    if (CPU_ISSET(core, &before)) all.push_back(core);
  if (all.size() < 2) GTEST_SKIP() << "a single core";
  const Cores first{all[0]};
  const Cores second{all[1]};
  const Neighbour on_first(first);
  const Neighbour on_second(second);
  const Neighbour on_both({all[0], all[1]});
  Neighbour::bind(first);
  const auto alone = share_of_host(2, {on_second.process(1)});
  const auto beside_one = share_of_host(2, {on_first.process(1)});
  const auto beside_all =
      share_of_host(4, {on_first.process(1), on_second.process(1), on_both.process(2)});
  sched_setaffinity(0, sizeof before, &before);
  EXPECT_DOUBLE_EQ(alone.cores, 1);
  EXPECT_DOUBLE_EQ(beside_one.cores, 0.5);
  EXPECT_DOUBLE_EQ(beside_all.cores, 1.0 / 3);
}

/// A tree of files that is as /proc and /sys/fs/cgroup would be.
class Quota : public testing::Test {
 protected:
  Quota() : root_(fs::temp_directory_path() / ("trawl-quota-" + std::to_string(getpid()))) {
    fs::remove_all(root_);
  }
  ~Quota() override { fs::remove_all(root_); }

  void write(const std::string& path, const std::string& text) const {
    fs::create_directories((root_ / path).parent_path());
    std::ofstream(root_ / path) << text;
  }

  double share(const std::vector<std::string>& all = {"self"}) const {
    return quota_share("self", all, root_.string());
  }

  void mount_version2(const std::string& top = "/") const {
    write("proc/self/mountinfo",
          "22 1 8:1 / / rw - ext4 /dev/sda1 rw\n"
          "30 22 0:26 " +
              top + " /sys/fs/cgroup rw,nosuid shared:9 - cgroup2 cgroup2 rw,nsdelegate\n");
  }

  void mount_version1(const std::string& top = "/") const {
    write("proc/self/mountinfo", "31 30 0:28 " + top +
                                     " /sys/fs/cgroup/cpu,cpuacct rw shared:10 - cgroup cgroup "
                                     "rw,cpu,cpuacct\n"
                                     "32 30 0:29 " +
                                     top + " /sys/fs/cgroup/cpuset rw - cgroup cgroup rw,cpuset\n");
  }

  void limit_version1(const std::string& group, const std::string& quota) const {
    write("sys/fs/cgroup/cpu,cpuacct" + group + "/cpu.cfs_quota_us", quota + "\n");
    write("sys/fs/cgroup/cpu,cpuacct" + group + "/cpu.cfs_period_us", "100000\n");
  }

  fs::path root_;
};

TEST_F(Quota, WithoutGroupsThereIsNone) {
  EXPECT_EQ(share(), unlimited);
  mount_version2();
  EXPECT_EQ(share(), unlimited);
  write("proc/self/cgroup", "garbage\n0:\n::\n0::/a/b\n");
  write("sys/fs/cgroup/a/b/cpu.max", "max 100000\n");
  write("sys/fs/cgroup/a/cpu.max", "");
  EXPECT_EQ(share(), unlimited);
  write("sys/fs/cgroup/a/cpu.max", "100000 0\n");
  EXPECT_EQ(share(), unlimited);
}

TEST_F(Quota, MemoryIsSharedByThoseInTheGroup) {
  const auto memory = [this](const std::vector<std::string>& all) {
    return memory_quota("self", all, root_.string());
  };
  EXPECT_EQ(memory({"self"}), unlimited);
  mount_version2();
  write("proc/self/cgroup", "0::/user/job\n");
  write("proc/17/cgroup", "0::/user/other\n");
  write("sys/fs/cgroup/user/job/memory.max", "max\n");
  EXPECT_EQ(memory({"self"}), unlimited);
  write("sys/fs/cgroup/user/memory.max", "4000000000\n");
  EXPECT_EQ(memory({"self"}), 4e9);
  EXPECT_EQ(memory({"self", "17"}), 2e9);
  write("sys/fs/cgroup/user/job/memory.max", "1000000000\n");
  EXPECT_EQ(memory({"self", "17"}), 1e9);
}

TEST_F(Quota, MemoryOfVersion1HasATreeOfItsOwn) {
  write("proc/self/mountinfo",
        "31 30 0:28 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu\n"
        "32 30 0:29 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n");
  write("proc/self/cgroup", "3:memory:/mine\n2:cpu:/other\n");
  write("sys/fs/cgroup/memory/mine/memory.limit_in_bytes", "5000000\n");
  write("sys/fs/cgroup/memory/other/memory.limit_in_bytes", "3\n");
  EXPECT_EQ(memory_quota("self", {"self"}, root_.string()), 5e6);
}

TEST_F(Quota, Version2OfTheGroupItself) {
  mount_version2();
  write("proc/self/cgroup", "0::/user/job\n");
  write("sys/fs/cgroup/user/job/cpu.max", "30000 100000\n");
  EXPECT_DOUBLE_EQ(share(), 0.3);
}

TEST_F(Quota, TheLeastOfTheAncestorsCounts) {
  mount_version2();
  write("proc/self/cgroup", "0::/user/job/step\n");
  write("sys/fs/cgroup/user/job/step/cpu.max", "max 100000\n");
  write("sys/fs/cgroup/user/job/cpu.max", "400000 100000\n");
  write("sys/fs/cgroup/user/cpu.max", "75000 50000\n");
  write("sys/fs/cgroup/other/cpu.max", "1000 100000\n");
  EXPECT_DOUBLE_EQ(share(), 1.5);
}

TEST_F(Quota, Version1) {
  mount_version1();
  write("proc/self/cgroup", "3:cpuset:/elsewhere\n2:cpu,cpuacct:/user/job\n0::/\n");
  limit_version1("", "-1");
  limit_version1("/user/job", "250000");
  EXPECT_DOUBLE_EQ(share(), 2.5);
  limit_version1("/user", "50000");
  EXPECT_DOUBLE_EQ(share(), 0.5);
}

TEST_F(Quota, InAContainerTheTopIsWhatIsMounted) {
  mount_version1("/docker/4711");
  write("proc/self/cgroup", "2:cpu,cpuacct:/docker/4711/inner\n");
  limit_version1("", "200000");
  EXPECT_DOUBLE_EQ(share(), 2);
  limit_version1("/inner", "100000");
  EXPECT_DOUBLE_EQ(share(), 1);
  write("proc/self/cgroup", "2:cpu,cpuacct:/docker/4711\n");
  EXPECT_DOUBLE_EQ(share(), 2);
  write("proc/self/cgroup", "2:cpu,cpuacct:/\n");  // a namespace of its own
  EXPECT_DOUBLE_EQ(share(), 2);
}

TEST_F(Quota, PesInALimitedGroupShareIt) {
  mount_version2();
  write("proc/self/cgroup", "0::/job/a\n");
  write("proc/12/cgroup", "0::/job/a\n");
  write("proc/13/cgroup", "0::/job/b\n");
  write("proc/14/cgroup", "0::/jobs\n");
  write("sys/fs/cgroup/job/cpu.max", "300000 100000\n");
  EXPECT_DOUBLE_EQ(share({"self", "12", "13", "14", "15"}), 1);
  write("sys/fs/cgroup/job/a/cpu.max", "100000 100000\n");
  EXPECT_DOUBLE_EQ(share({"self", "12", "13", "14", "15"}), 0.5);
}

}  // namespace
}  // namespace trawl
