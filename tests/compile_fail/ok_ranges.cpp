// expect: ok
#include <ranges>
#include <vector>

#include <trawl/trawl.hpp>

long twice(long n) {
  return 2 * n;
}

int main() {
  const std::vector<long> all{1, 2, 3};
  const auto odd = [](long n) { return n % 2 != 0; };
  auto some = trawl::spawn_some<twice>(all | std::views::filter(odd));
  auto calls = trawl::spawn_all<twice>(all | std::views::filter(odd));
  const auto thunks = trawl::lazy_map<twice>(all | std::views::filter(odd));
  return static_cast<int>(trawl::par_map<twice>(all | std::views::filter(odd)).size() +
                          calls.sync().size() + thunks.size());
}
