// expect: trawl: an exception travels if it has a default constructor and a serialize()
#include <stdexcept>

#include <trawl/trawl.hpp>

struct Located : std::runtime_error {
  Located(const std::string& what, int at) : std::runtime_error(what), line(at) {}
  int line;
};
TRAWL_EXCEPTION(Located);

int main() {}
