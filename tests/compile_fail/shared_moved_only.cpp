// expect: trawl: each PE has its own copy of what is Shared: it has to be copyable.
#include <trawl/trawl.hpp>

struct Only {
  Only() = default;
  Only(Only&&) = default;
  template <class Archive>
  void serialize(Archive&) {}
};
void make() {
  trawl::Shared<Only> shared;
}
