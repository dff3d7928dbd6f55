// expect: ok
#include <stdexcept>
#include <string>

#include <trawl/trawl.hpp>

namespace mine {

struct Plain {
  int number;
};
struct Message : std::invalid_argument {
  using std::invalid_argument::invalid_argument;
};
struct Full : std::exception {
  std::string text;
  template <class Archive>
  void serialize(Archive& archive) {
    archive(text);
  }
};
TRAWL_EXCEPTION(Full);

}  // namespace mine

TRAWL_EXCEPTION(mine::Plain);
TRAWL_EXCEPTION(mine::Message);

int main() {}
