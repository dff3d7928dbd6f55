// expect: trawl: what reduce combines goes from PE to PE as copies; this type has none.
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
Large large(long) {
  return {};
}
Large larger(const Large&, const Large&) {
  return {};
}

std::vector<Large> all_large(const std::vector<long>& numbers) {
  return std::vector<Large>(numbers.size());
}

int main() {
  trawl::reduce<large, larger>(trawl::generate<number>(3));
  trawl::map_shards<all_large>(trawl::generate<number>(3));
}
