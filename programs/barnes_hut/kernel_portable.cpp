// The force loops with the vectors that every compiler makes something of.
#include "programs/barnes_hut/walk.hpp"

namespace bh {
namespace {

struct Portable : OneByOne {
  using Vector [[gnu::vector_size(16)]] = float;
  static constexpr std::size_t width = 4;

  static Vector load(const float* from) { return Vector{from[0], from[1], from[2], from[3]}; }
  static Vector broadcast(float value) { return Vector{value, value, value, value}; }
  static Vector twice_inverse_root(Vector x) {
    return 2 / Vector{std::sqrt(x[0]), std::sqrt(x[1]), std::sqrt(x[2]), std::sqrt(x[3])};
  }
  static Vector zero_where_zero(Vector where, Vector value) {
    return where == 0 ? Vector{} : value;
  }
};

}  // namespace

Forces forces_portable(const View& view, const Places& bodies, std::size_t group,
                       const Settings& settings) {
  return forces_by<Portable>(view, bodies, group, settings);
}

}  // namespace bh
