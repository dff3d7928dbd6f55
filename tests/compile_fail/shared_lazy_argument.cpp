// expect: trawl: what is written is a value: force a Lazy before it is passed.
#include <trawl/trawl.hpp>

void add(long& sum, trawl::Lazy<long> more) {
  sum += trawl::force(more);
}
void write(trawl::Shared<long> sum) {
  sum.write<add>(trawl::Lazy<long>(3L));
}
