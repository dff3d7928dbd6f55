// The loops of kernel.cpp, which includes this once for each kind of vectors: into a namespace of
// its own, in which `lanes` says how many numbers a vector has. So no include guard.

using Vector [[gnu::vector_size(4 * lanes), gnu::aligned(4), gnu::may_alias]] = float;
using Whole [[gnu::vector_size(4 * lanes), gnu::aligned(4)]] = std::int32_t;

inline void sum(const List& list, Targets& targets) {
  const std::size_t count = list.size();
  const float* const xs = list.x();
  const float* const ys = list.y();
  const float* const masses = list.mass();
  for (std::size_t at = 0; at < targets.x.size(); at += lanes) {
    const Vector x = *reinterpret_cast<const Vector*>(&targets.x[at]);
    const Vector y = *reinterpret_cast<const Vector*>(&targets.y[at]);
    Vector ax{};
    Vector ay{};
    for (std::size_t j = 0; j < count; ++j) {
      const Vector dx = xs[j] - x;
      const Vector dy = ys[j] - y;
      const Vector d2 = dx * dx + dy * dy + softening2;
      // One over the root, to six digits: its exponent by an integer, then Newton's step twice.
      const Vector half = d2 * 0.5F;
      Vector root = reinterpret_cast<Vector>(0x5f375a86 - (reinterpret_cast<Whole>(d2) >> 1));
      root = root * (first_step - first_scale * half * (root * root));
      root = root * (second_step - second_scale * half * (root * root));
      const Vector pull = masses[j] * root * (root * root);
      ax += pull * dx;
      ay += pull * dy;
    }
    *reinterpret_cast<Vector*>(&targets.ax[at]) = ax;
    *reinterpret_cast<Vector*>(&targets.ay[at]) = ay;
  }
}
