// expect: trawl: a value of this type can't travel to another PE
#include <vector>

#include <trawl/trawl.hpp>

struct Token {
  explicit Token(int) {}
};

long count(const std::vector<Token>& tokens) {
  return static_cast<long>(tokens.size());
}

int main() {
  return static_cast<int>(trawl::spawn<count>(std::vector<Token>(2, Token(1))).sync());
}
