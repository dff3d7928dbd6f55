// What MPICH is spared at its start is set for the start only, and a user's own setting stays.
#include "rts/fabric/lean_start.hpp"

#include <cstdlib>
#include <string>

#include <gtest/gtest.h>

namespace {

using trawl::fabric::LeanStart;

std::string seen(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "unset";
}

TEST(LeanStart, IsInTheEnvironmentWhileMpiStarts) {
  unsetenv("HWLOC_COMPONENTS");
  unsetenv("MPIR_CVAR_NOLOCAL");
  unsetenv("UCX_MM_RX_BUFS_GROW");
  unsetenv("UCX_TLS");
  {
    const LeanStart lean;
    EXPECT_EQ(seen("HWLOC_COMPONENTS"), "-linuxio,-x86");
    EXPECT_EQ(seen("MPIR_CVAR_NOLOCAL"), "1");
    EXPECT_EQ(seen("UCX_MM_RX_BUFS_GROW"), "128");
  }
  EXPECT_EQ(seen("HWLOC_COMPONENTS"), "unset");
  EXPECT_EQ(seen("MPIR_CVAR_NOLOCAL"), "unset");
  EXPECT_EQ(seen("UCX_MM_RX_BUFS_GROW"), "unset");
}

TEST(LeanStart, LeavesWhatTheUserHasSet) {
  setenv("HWLOC_COMPONENTS", "xml", 1);
  setenv("MPIR_CVAR_NOLOCAL", "", 1);
  {
    const LeanStart lean;
    EXPECT_EQ(seen("HWLOC_COMPONENTS"), "xml");
    EXPECT_EQ(seen("MPIR_CVAR_NOLOCAL"), "");
  }
  EXPECT_EQ(seen("HWLOC_COMPONENTS"), "xml");
  EXPECT_EQ(seen("MPIR_CVAR_NOLOCAL"), "");
  unsetenv("HWLOC_COMPONENTS");
  unsetenv("MPIR_CVAR_NOLOCAL");
}

TEST(LeanStart, SaysNothingOfTransportsThatAreLeftOut) {
  unsetenv("UCX_MM_RX_BUFS_GROW");
  setenv("UCX_TLS", "tcp,self", 1);
  {
    const LeanStart lean;
    EXPECT_EQ(seen("UCX_MM_RX_BUFS_GROW"), "unset");
  }
  EXPECT_EQ(seen("UCX_TLS"), "tcp,self");
  unsetenv("UCX_TLS");
}

}  // namespace
