// What the surfaces that a packet of rays has hit look like: where, which way up, of what.
#pragma once

#include "programs/raytracer/intersect.hpp"

namespace raytracer::RAYTRACER_SIMD {

/// Each lane's own surface.
struct Spot {
  Vecs point;
  Vecs face;     // normal of the surface, towards where the ray came from
  Vecs normal;   // the same, as it is shaded
  Mask inwards;  // does the ray come from outside?
  Ints material{};
};

/// Each lane's own material.
struct Stuff {
  Vecs color;
  Floats specular{};
  Floats reflect{};
  Floats refract{};
  Floats ior = splat(1.0F);
  Ints shine{};
};

/// Calls `visit(value, its lanes)` for each different value in these lanes.
template <class Visit>
RAYTRACER_INLINE void for_each_value(Ints values, Mask lanes, Visit visit) {
  unsigned rest = bits(lanes);
  while (rest != 0) {
    const std::int32_t value = values[__builtin_ctz(rest)];
    const Mask its = same(values, splat(value)) & lanes;
    rest &= ~bits(its);
    visit(value, its);
  }
}

RAYTRACER_INLINE Spot find(const View& view, const Rays& rays, const Hits& hits, Mask lanes) {
  Spot spot;
  spot.point = rays.from + rays.along * hits.distance;
  const auto keep = [&](Vecs face, Vecs normal, std::uint32_t material, Mask its) {
    spot.face = select(its, face, spot.face);
    spot.normal = select(its, normal, spot.normal);
    spot.material = select(its, splat(static_cast<std::int32_t>(material)), spot.material);
  };
  for_each_value(hits.what, lanes, [&](std::int32_t what, Mask its) {
    if (what <= Hits::plane) {
      const Plane& plane = view.planes[Hits::plane - what];
      keep(splat(plane.normal), splat(plane.normal), plane.material, its);
      return;
    }
    const Surface& surface = view.surfaces[what];
    if (surface.kind == Surface::sphere) {
      const Vecs middle = splat(surface.a);
      const Vecs face = unit(spot.point - middle);
      spot.point = select(its, middle + face * splat(surface.ab.x), spot.point);
      keep(face, face, surface.material, its);
      return;
    }
    const Vecs face = unit(cross(splat(surface.ab), splat(surface.ac)));
    Vecs normal = face;
    if (surface.kind != Surface::flat) {
      const Corners& at = view.corners[surface.kind];
      normal = unit(splat(at.a) * (1.0F - hits.u - hits.v) + splat(at.b) * hits.u +
                    splat(at.c) * hits.v);
    }
    keep(face, normal, surface.material, its);
  });
  spot.inwards = less(dot(rays.along, spot.face), Floats{});
  spot.face = select(spot.inwards, spot.face, spot.face * splat(-1.0F));
  const Mask against = less(dot(spot.normal, spot.face), Floats{});
  spot.normal = select(against, spot.normal * splat(-1.0F), spot.normal);
  return spot;
}

RAYTRACER_INLINE Ints rounded_down(Floats a) {
  const Floats bounded = min(max(a, splat(-1e9F)), splat(1e9F));
  const Ints whole = truncated(bounded);
  return select(less(bounded, to_floats(whole)), whole + splat(-1), whole);
}

/// Is it a second square of a checkerboard? The board lies across the axis that the surface faces,
/// so that rounding along that axis doesn't matter.
RAYTRACER_INLINE Mask second_square(const Spot& spot, float square) {
  const Vecs at = spot.point * splat(1 / square);
  const Floats x = magnitude(spot.face.x);
  const Floats y = magnitude(spot.face.y);
  const Floats z = magnitude(spot.face.z);
  const Mask faces_y = !(less(y, x) | less(y, z));
  const Mask faces_x = !(faces_y | less(x, z));
  Ints odd = select(faces_x, Ints{}, rounded_down(at.x)) +
             select(faces_y, Ints{}, rounded_down(at.y)) +
             select(faces_x | faces_y, rounded_down(at.z), Ints{});
  return same(odd & 1, splat(1));
}

RAYTRACER_INLINE Stuff look_up(const View& view, const Spot& spot, Mask lanes) {
  Stuff stuff;
  for_each_value(spot.material, lanes, [&](std::int32_t i, Mask its) {
    const Material& m = view.materials[i];
    Vecs color = splat(m.color);
    if (m.square > 0) color = select(second_square(spot, m.square), splat(m.second), color);
    stuff.color = select(its, color, stuff.color);
    stuff.specular = select(its, splat(m.specular), stuff.specular);
    stuff.reflect = select(its, splat(m.reflect), stuff.reflect);
    stuff.refract = select(its, splat(m.refract), stuff.refract);
    stuff.ior = select(its, splat(m.ior), stuff.ior);
    stuff.shine = select(its, splat(m.shine), stuff.shine);
  });
  return stuff;
}

/// By squaring; no library function, as those differ between processors in the last bit.
RAYTRACER_INLINE Floats power(Floats base, Ints exponent) {
  Floats result = splat(1.0F);
  while (any(!same(exponent, Ints{}))) {
    result = select(same(exponent & 1, Ints{}), result, result * base);
    base = base * base;
    exponent = exponent >> 1;
  }
  return result;
}

/// How far a ray starts from the surface that it comes from: more than rounding has moved it.
RAYTRACER_INLINE Floats clearance(const Rays& rays, const Spot& spot) {
  return max(max(largest(rays.from), largest(spot.point)) * 3e-5F, splat(1e-7F));
}

/// The light that a surface itself shows: diffuse and Blinn's highlights, with shadows.
RAYTRACER_INLINE Vecs own_light(const View& view, const Rays& rays, const Spot& spot,
                                const Stuff& stuff, Floats clear, Mask lanes) {
  const Vecs diffuse = stuff.color * (1.0F - stuff.reflect - stuff.refract);
  const bool shiny = any(lanes & less(Floats{}, stuff.specular));
  Vecs sum = diffuse * splat(view.ambient);
  const Mask shows = lanes & less(Floats{}, largest(diffuse) + stuff.specular);
  const Vecs start = spot.point + spot.face * clear;
  for (std::int32_t i = 0; i < view.light_count; ++i) {
    const Light& light = view.lights[i];
    const Vecs way = splat(light.at) - start;
    const Floats distance = root(dot(way, way));
    const Vecs towards = way * (1.0F / distance);
    const Floats slope = dot(towards, spot.normal);
    const Mask lit = shows & less(Floats{}, slope) & less(Floats{}, dot(towards, spot.face));
    if (!any(lit)) continue;
    const Vecs arrives = passing(view, {start, towards}, distance, lit) * splat(light.color);
    Vecs shown = diffuse * slope;
    if (shiny) {
      const Floats glance = max(dot(unit(towards - rays.along), spot.normal), Floats{});
      const Floats highlight = stuff.specular * power(glance, stuff.shine);
      shown = shown + Vecs{highlight, highlight, highlight};
    }
    sum = select(lit, sum + arrives * shown, sum);
  }
  return sum;
}

}  // namespace raytracer::RAYTRACER_SIMD
