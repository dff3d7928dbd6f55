// expect: trawl: elements of a Dist go from PE to PE as copies; this type has none.
#include <vector>

#include <trawl/dist.hpp>
#include <trawl/trawl.hpp>

struct Large {
  Large() = default;
  Large(Large&&) = default;
  Large& operator=(Large&&) = default;

  template <class Archive>
  void serialize(Archive& archive) {
    archive(n);
  }

  long n = 0;
};

long number(std::size_t i) {
  return static_cast<long>(i);
}
std::vector<Large> large(const std::vector<long>& numbers) {
  return std::vector<Large>(numbers.size());
}

int main() {
  trawl::map_shards<large>(trawl::generate<number>(3));
}
