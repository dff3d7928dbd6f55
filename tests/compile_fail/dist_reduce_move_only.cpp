// expect: trawl: what reduce combines goes from PE to PE as copies; this type has none.
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

int main() {
  trawl::reduce<large, larger>(trawl::generate<number>(3));
}
