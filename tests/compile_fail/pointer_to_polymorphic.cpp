// expect: trawl: a pointer to a class with virtual functions can't be packed
#include <memory>

#include <cereal/types/memory.hpp>
#include <trawl/trawl.hpp>

struct Shape {
  virtual ~Shape() = default;
  virtual long area() const { return 0; }
  template <class Archive>
  void serialize(Archive&) {}
};
struct Drawing {
  std::shared_ptr<Shape> shape;
  template <class Archive>
  void serialize(Archive& archive) {
    archive(shape);
  }
};

long area(const Drawing& drawing) {
  return drawing.shape->area();
}

int main() {
  return static_cast<int>(trawl::spawn<area>(Drawing()).sync());
}
