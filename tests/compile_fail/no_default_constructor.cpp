// expect: trawl: a value of this type can't travel to another PE
#include <trawl/trawl.hpp>

class Even {
 public:
  explicit Even(long n) : n_(2 * n) {}
  long get() const { return n_; }

 private:
  long n_;
};

long f(Even e) {
  return e.get();
}

int main() {
  return static_cast<int>(trawl::force(trawl::lazy<f>(Even(1))));
}
