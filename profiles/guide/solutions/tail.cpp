// tail.cpp, cured: as much work, but pieces are merged in a tree, while others still run.
#include <trawl/trawl.hpp>

long piece(long micros) {
  trawl::work(micros * 1000);
  return 1;
}

long merge(long micros, long a, long b) {
  trawl::work(micros * 1000);
  return a + b;
}

long all(long pieces) {
  if (pieces == 1) return piece(1000);
  auto half = trawl::spawn<all>(pieces / 2);
  const long other = all(pieces - pieces / 2);
  return merge(100, half.sync(), other);
}

int root() {
  return all(400) == 400 ? 0 : 1;
}

int main(int argc, char** argv) {
  return trawl::run<root>(argc, argv);
}
