// expect: trawl: a write is a function of the object, T&, and of these arguments
#include <trawl/trawl.hpp>

void add(double& sum, double more) {
  sum += more;
}
void write(trawl::Shared<long> sum) {
  sum.write<add>(3.0);
}
