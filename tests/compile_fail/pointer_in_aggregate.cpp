// expect: trawl: a value of this type can't travel to another PE
#include <trawl/trawl.hpp>

struct Cell {
  long head;
  Cell* tail;
};

long f(Cell cell) {
  return cell.head;
}

int main() {
  auto x = trawl::spawn<f>(Cell{1, nullptr});
  return static_cast<int>(x.sync());
}
