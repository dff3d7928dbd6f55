// expect: trawl: a value of this type can't travel to another PE
#include <memory>
#include <utility>

#include <trawl/trawl.hpp>

long f(const std::pair<long, std::shared_ptr<long>>& p) {
  return p.first;
}

int main() {
  return static_cast<int>(trawl::force(trawl::lazy<f>(std::pair<long, std::shared_ptr<long>>())));
}
