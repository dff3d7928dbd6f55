// What a packet of rays meets: surfaces, and the way to them through the hierarchy.
#pragma once

#include "programs/raytracer/bvh.hpp"
#include "programs/raytracer/lanes.hpp"
#include "programs/raytracer/view.hpp"

namespace raytracer::RAYTRACER_SIMD {

constexpr float never = 1e30F;

struct Rays {
  Vecs from;
  Vecs along;  // of length 1
};

/// The nearest hits so far.
struct Hits {
  static constexpr std::int32_t nothing = -1;
  static constexpr std::int32_t plane = -2;  // plane number i is plane - i

  Floats distance = splat(never);
  Ints what = splat(nothing);
  Floats u{};  // where in a triangle
  Floats v{};
};

/// Distances to one surface, for the lanes of `hit`.
struct Meeting {
  Mask hit;
  Floats distance;
  Floats u{};
  Floats v{};
};

// The discriminant from the ray's distance to the centre, which doesn't cancel (Haines et al.,
// Precision improvements for ray/sphere intersection, Ray Tracing Gems, 2019).
RAYTRACER_INLINE Meeting meet_sphere(const Surface& sphere, const Rays& rays) {
  const Vecs out = rays.from - splat(sphere.a);
  const Floats nearest = -dot(out, rays.along);
  const Vecs beside = out + rays.along * nearest;
  const Floats inside = sphere.ab.x * sphere.ab.x - dot(beside, beside);
  const Floats half = root(max(inside, Floats{}));
  const Floats first = nearest - half;
  const Floats distance = select(less(Floats{}, first), first, nearest + half);
  return {less(Floats{}, inside) & less(Floats{}, distance), distance};
}

// Möller and Trumbore, Fast, minimum storage ray-triangle intersection, 1997. Edges are a little
// wide, so that no ray slips through between two triangles.
RAYTRACER_INLINE Meeting meet_triangle(const Surface& triangle, const Rays& rays) {
  constexpr float slack = 1e-6F;
  const Vecs ab = splat(triangle.ab);
  const Vecs ac = splat(triangle.ac);
  const Vecs p = cross(rays.along, ac);
  const Vecs out = rays.from - splat(triangle.a);
  const Vecs q = cross(out, ab);
  const Floats scale = 1.0F / dot(ab, p);
  const Floats u = dot(out, p) * scale;
  const Floats v = dot(rays.along, q) * scale;
  const Floats distance = dot(ac, q) * scale;
  const Mask hit = less(splat(-slack), u) & less(splat(-slack), v) & less(u + v, splat(1 + slack)) &
                   less(Floats{}, distance);
  return {hit, distance, u, v};
}

RAYTRACER_INLINE Meeting meet(const Surface& surface, const Rays& rays) {
  return surface.kind == Surface::sphere ? meet_sphere(surface, rays)
                                         : meet_triangle(surface, rays);
}

RAYTRACER_INLINE Meeting meet(const Plane& plane, const Rays& rays) {
  const Floats slope = dot(rays.along, splat(plane.normal));
  const Floats distance = dot(splat(plane.at) - rays.from, splat(plane.normal)) / slope;
  return {less(Floats{}, distance) & less(distance, splat(never)), distance};
}

/// The reciprocal of a direction, finite.
RAYTRACER_INLINE Floats reciprocal(Floats a) {
  constexpr float tiny = 1e-15F;
  const Floats safe = select(less(a, Floats{}), min(a, splat(-tiny)), max(a, splat(tiny)));
  return 1.0F / safe;
}

RAYTRACER_INLINE Mask meet_box(const Box& box, Vecs from, Vecs inverse, Floats limit,
                               Floats& enter) {
  const Vecs low = (splat(box.low) - from) * inverse;
  const Vecs high = (splat(box.high) - from) * inverse;
  enter = max(max(min(low.x, high.x), min(low.y, high.y)), max(min(low.z, high.z), Floats{}));
  const Floats leave = min(min(max(low.x, high.x), max(low.y, high.y)), max(low.z, high.z));
  return !less(min(leave, limit), enter);
}

/// Visits the leaves that the rays of `active` may hit before `limit`, near ones first.
/// `visit(surface number, lanes)` may lower `limit` and clear lanes of `active`.
template <class Visit>
RAYTRACER_INLINE void traverse(const View& view, const Rays& rays, const Floats& limit,
                               const Mask& active, Visit visit) {
  struct Waiting {
    Floats enter;
    unsigned lanes;
    std::uint32_t first;
    std::uint32_t count;
  };
  Waiting stack[deepest + 1];
  int waiting = 0;
  if (view.node_count == 0) return;
  const Vecs inverse{reciprocal(rays.along.x), reciprocal(rays.along.y), reciprocal(rays.along.z)};
  Mask here = active;
  std::uint32_t first = 0;
  std::uint32_t count = 0;
  bool down = false;
  const auto go_to = [&](const Child& child, Mask its) {
    here = its;
    first = child.first;
    count = child.count;
    down = true;
  };
  while (true) {
    down = false;
    if (count > 0) {
      for (std::uint32_t i = first; i < first + count; ++i)
        visit(static_cast<std::int32_t>(i), here);
    } else {
      const Child& left = view.nodes[first].left;
      const Child& right = view.nodes[first].right;
      Floats enter_left;
      Floats enter_right;
      const Mask hit_left = here & meet_box(left.box, rays.from, inverse, limit, enter_left);
      const Mask hit_right = here & meet_box(right.box, rays.from, inverse, limit, enter_right);
      const unsigned in_left = bits(hit_left);
      const unsigned in_right = right.first + right.count == 0 ? 0 : bits(hit_right);
      if (in_left != 0 && in_right != 0) {
        // The child that more rays enter first is the near one.
        const unsigned both = in_left & in_right;
        const bool swap = __builtin_popcount(bits(less(enter_right, enter_left)) & both) >
                          __builtin_popcount(bits(less(enter_left, enter_right)) & both);
        const Child& far = swap ? left : right;
        stack[waiting++] = {swap ? enter_left : enter_right, swap ? in_left : in_right, far.first,
                            far.count};
        go_to(swap ? right : left, swap ? hit_right : hit_left);
      } else if (in_left != 0) {
        go_to(left, hit_left);
      } else if (in_right != 0) {
        go_to(right, hit_right);
      }
    }
    while (!down) {
      if (waiting == 0) return;
      const Waiting& next = stack[--waiting];
      here = mask_of(next.lanes) & active & less(next.enter, limit);
      first = next.first;
      count = next.count;
      down = any(here);
    }
  }
}

/// The nearest hit of each ray.
RAYTRACER_INLINE Hits nearest(const View& view, const Rays& rays, Mask active) {
  Hits hits;
  const auto keep = [&](const Meeting& meeting, Mask lane, std::int32_t what) {
    const Mask closer = lane & meeting.hit & less(meeting.distance, hits.distance);
    hits.distance = select(closer, meeting.distance, hits.distance);
    hits.what = select(closer, splat(what), hits.what);
    hits.u = select(closer, meeting.u, hits.u);
    hits.v = select(closer, meeting.v, hits.v);
  };
  for (std::int32_t i = 0; i < view.plane_count; ++i)
    keep(meet(view.planes[i], rays), active, Hits::plane - i);
  traverse(view, rays, hits.distance, active,
           [&](std::int32_t i, Mask lane) { keep(meet(view.surfaces[i], rays), lane, i); });
  return hits;
}

/// How much of each colour comes through from the other ends of the rays, `distance` away: glass
/// dims it, all else keeps it.
RAYTRACER_INLINE Vecs passing(const View& view, const Rays& rays, Floats distance, Mask active) {
  Vecs light{splat(1.0F), splat(1.0F), splat(1.0F)};
  const auto dim = [&](const Meeting& meeting, Mask lane, const Material& material) {
    const Mask shaded = lane & meeting.hit & less(meeting.distance, distance);
    const Vecs through = light * (splat(material.color) * splat(material.refract));
    light = select(shaded, through, light);
    if (material.refract == 0) active = active & !shaded;
  };
  for (std::int32_t i = 0; i < view.plane_count; ++i)
    dim(meet(view.planes[i], rays), active, view.materials[view.planes[i].material]);
  if (!any(active)) return light;
  traverse(view, rays, distance, active, [&](std::int32_t i, Mask lane) {
    const Surface& surface = view.surfaces[i];
    dim(meet(surface, rays), lane & active, view.materials[surface.material]);
  });
  return light;
}

}  // namespace raytracer::RAYTRACER_SIMD
