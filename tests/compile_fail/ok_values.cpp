// expect: ok
#include <array>
#include <bitset>
#include <chrono>
#include <complex>
#include <deque>
#include <list>
#include <map>
#include <optional>
#include <queue>
#include <random>
#include <set>
#include <stack>
#include <string>
#include <tuple>
#include <unordered_map>
#include <variant>
#include <vector>

#include <cereal/types/bitset.hpp>
#include <trawl/trawl.hpp>

namespace {

enum class Colour { red, green };

struct Point {
  double x, y;
};
struct Named {
  std::string name;
  Point at;
  std::array<int, 3> counts;
  std::optional<long> maybe;
  std::variant<std::monostate, long, std::string> either;
  Colour colour = Colour::green;
};
struct Empty {};

struct Cell {
  long head;
  trawl::Lazy<Cell> tail;
};
struct Tree {
  std::vector<Tree> kids;
  trawl::Lazy<Tree> more;
};

class WithMember {
 public:
  template <class Archive>
  void serialize(Archive& archive) {
    archive(text_, lazy_);
  }

 private:
  std::string text_;
  trawl::Lazy<long> lazy_;
};

class WithPair {
 public:
  template <class Archive>
  void save(Archive& archive) const {
    archive(n_);
  }
  template <class Archive>
  void load(Archive& archive) {
    archive(n_);
  }

 private:
  long n_ = 0;
};

struct ArrayWithMember {
  int many[4] = {};

  template <class Archive>
  void serialize(Archive& archive) {
    archive(many[0], many[1], many[2], many[3]);
  }
};

class Plain {
 public:
  Plain() = default;
  explicit Plain(long n) : n_(n) {}

 private:
  long n_ = 0;
};

template <class T>
struct Pair {
  T first, second;
};

}  // namespace

namespace elsewhere {

struct Beside {
  int n[2] = {};
};
template <class Archive>
void serialize(Archive& archive, Beside& beside) {
  archive(beside.n[0], beside.n[1]);
}

}  // namespace elsewhere

namespace {

template <class T>
T same(const T& x) {
  return x;
}

template <class T>
void travels() {
  trawl::force(trawl::par(trawl::lazy<same<T>>(T())));
  auto x = trawl::spawn<same<T>>(T());
  (void)x.sync();
  trawl::rdeepseq(trawl::Lazy<T>(T()));
}

template <class... T>
void travel() {
  (travels<T>(), ...);
  (travels<std::vector<T>>(), ...);
  (travels<trawl::Lazy<T>>(), ...);
}
template <class... T>
void travel_inside() {
  (travels<Pair<T>>(), ...);
  (travels<std::map<std::string, T>>(), ...);
}

}  // namespace

int main() {
  travel<bool, char, int, long double, Colour, Point, Named, Empty, Cell, Tree, WithMember,
         WithPair, ArrayWithMember, elsewhere::Beside, Plain, std::string>();
  travel_inside<bool, Named, Cell, WithMember>();
  travels<std::complex<double>>();
  travels<std::bitset<70>>();
  travels<std::chrono::nanoseconds>();
  travels<std::chrono::steady_clock::time_point>();
  travels<std::deque<trawl::Lazy<int>>>();
  travels<std::list<Named>>();
  travels<std::set<std::string>>();
  travels<std::unordered_map<long, std::vector<std::optional<trawl::Lazy<long>>>>>();
  travels<std::tuple<int, std::string, std::pair<bool, trawl::Lazy<long>>>>();
  travels<std::variant<long, trawl::Lazy<long>, std::vector<Point>>>();
  travels<std::stack<int>>();
  travels<std::queue<int>>();
  travels<std::mt19937>();
}
