#include <gtest/gtest.h>
#include <trawl.hpp>
#include "rts/simulate.hpp"
namespace {
long fib(int n) { trawl::Simulation::work(1000); if (n < 2) return n; auto x = trawl::spawn<fib>(n - 1); long y = fib(n - 2); return x.sync() + y; }
long lfib(int n) { trawl::Simulation::work(1000); if (n < 2) return n; auto x = trawl::par(trawl::lazy<lfib>(n - 1)); long y = lfib(n - 2); return trawl::force(x) + y; }
TEST(GridSmoke, Fib) {
  for (int pes : {1,2,4,8}) { trawl::Simulation::Config c; c.net.pes = pes; trawl::Simulation s(c); long r=0; s.run([&]{ r = fib(19); }); auto t=s.now(); s.settle(); EXPECT_EQ(r, 4181); auto o=s.finish(3); EXPECT_EQ(o.code,3); std::printf("%d pes: %ld us\n", pes, t/1000);
  trawl::Simulation s2(c); s2.run([&]{ r = lfib(19); }); s2.settle(); EXPECT_EQ(r, 4181); std::printf("lazy %d pes: %ld us\n", pes, s2.now()/1000); }
}
}
