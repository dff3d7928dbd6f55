// expect: trawl: what is better is said by std::less<> or std::greater<>.
#include <trawl/trawl.hpp>

struct Shorter {
  bool operator()(long a, long b) const { return a < b; }
};

trawl::Bound<long, Shorter> bound;
