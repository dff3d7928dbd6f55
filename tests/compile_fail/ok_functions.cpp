// expect: ok
#include <array>
#include <map>
#include <string>
#include <vector>

#include <trawl/trawl.hpp>

namespace {

long plain(long n) {
  return n;
}
long never_throws(long n) noexcept {
  return n;
}
long overloaded(long n) {
  return n;
}
double overloaded(double x) {
  return x;
}
long by_reference(const std::string& s, const std::vector<long>& v) {
  return static_cast<long>(s.size() + v.size());
}
template <class T>
T generic(T x) {
  return x;
}
struct Twice {
  long operator()(long n) const { return 2 * n; }
};
struct Adder {
  static long add(long a, long b) { return a + b; }
};
const long& by_const_reference(const long& n) {
  return n;
}

template <class T>
void is(const trawl::Lazy<T>&) {}

int root(int, char**) {
  is<long>(trawl::lazy<plain>(1));
  is<long>(trawl::lazy<&plain>(1));
  is<long>(trawl::lazy<never_throws>(1));
  is<double>(trawl::lazy<static_cast<double (*)(double)>(overloaded)>(1));
  is<long>(trawl::lazy<by_reference>("a literal", std::vector<long>{1}));
  is<int>(trawl::lazy<generic<int>>(1));
  is<long>(trawl::lazy<Twice{}>(1));
  is<long>(trawl::lazy(Twice(), 1));
  is<long>(trawl::lazy<Adder::add>(1, 2));
  is<long>(trawl::lazy<by_const_reference>(1));
  is<long>(trawl::lazy<[](long n) { return n; }>(1));
  is<long>(trawl::lazy([](long n) { return n; }, 1));
  is<long>(trawl::lazy([](auto a, auto b) { return a + b; }, 1, 2L));
  is<long>(trawl::lazy([](long n) mutable noexcept { return n; }, 1));
  auto a = trawl::spawn<plain>(1);
  auto b = trawl::spawn([](long n) { return n; }, 1);
  auto c = trawl::spawn<[] { return 1L; }>();
  const auto d = trawl::Lazy(std::string("evaluated"));
  return static_cast<int>(a.sync() + b.sync() + c.sync()) + (d ? 0 : 1);
}

// A program's own fix, of what it likes.
using namespace trawl;
void fix(const std::string&) {}
void use_own() {
  std::string broken;
  fix(broken);
}

}  // namespace

int main(int argc, char** argv) {
  return trawl::run<root>(argc, argv);
}
