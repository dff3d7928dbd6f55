// A block of pixels: its rays from the camera, followed through reflection and refraction.
#pragma once

#include "programs/raytracer/gamma.hpp"
#include "programs/raytracer/shade.hpp"

namespace raytracer::RAYTRACER_SIMD {

constexpr float too_dim = 0.002F;  // what adds less than this can't be seen

/// Rays still to be followed, and how much of their light reaches the eye.
struct Pending {
  Rays rays;
  Vecs weight;
  Mask lanes;
  std::int32_t depth;
};

/// The rays that go on from a surface: at most two packets, added to `stack`.
RAYTRACER_INLINE int go_on(const Pending& ray, const Spot& spot, const Stuff& stuff, Floats clear,
                           Mask lanes, Pending* stack) {
  const Floats one = splat(1.0F);
  const Floats eta = select(spot.inwards, 1.0F / stuff.ior, stuff.ior);
  const Floats slope = max(-dot(ray.rays.along, spot.normal), Floats{});
  const Floats rest = 1.0F - eta * eta * (1.0F - slope * slope);
  const Mask total = less(rest, Floats{});
  const Floats beyond = root(max(rest, Floats{}));

  // Fresnel's equations, for light that is not polarised.
  const Floats across = (eta * slope - beyond) / (eta * slope + beyond);
  const Floats within = (eta * beyond - slope) / (eta * beyond + slope);
  const Floats mirrored = select(total, one, (across * across + within * within) * 0.5F);

  int added = 0;
  const Vecs reflect_weight = ray.weight * (stuff.reflect + stuff.refract * mirrored);
  const Mask reflects = lanes & less(splat(too_dim), largest(reflect_weight));
  if (any(reflects)) {
    const Vecs& in = ray.rays.along;
    Vecs out = in + spot.normal * (2.0F * slope);
    const Vecs flat = in - spot.face * (2.0F * dot(in, spot.face));
    out = unit(select(less(dot(out, spot.face), splat(1e-4F)), flat, out));
    stack[added++] = {
        {spot.point + spot.face * clear, out}, reflect_weight, reflects, ray.depth - 1};
  }
  const Vecs refract_weight = ray.weight * stuff.color * (stuff.refract * (1.0F - mirrored));
  const Mask refracts = lanes & !total & less(splat(too_dim), largest(refract_weight));
  if (any(refracts)) {
    const Vecs out = unit(ray.rays.along * eta + spot.normal * (eta * slope - beyond));
    stack[added++] = {
        {spot.point - spot.face * clear, out}, refract_weight, refracts, ray.depth - 1};
  }
  return added;
}

RAYTRACER_INLINE Vecs sky(const View& view, const Rays& rays) {
  const Floats up = max(rays.along.y, Floats{});
  return splat(view.horizon) * (1.0F - up) + splat(view.zenith) * up;
}

/// The light that comes back along these rays.
[[gnu::noinline]] inline void trace(const View& view, const Rays& rays, Mask lanes, Vecs& sum) {
  Pending stack[most_depth + 2];
  stack[0] = {rays, {splat(1.0F), splat(1.0F), splat(1.0F)}, lanes, view.depth};
  int pending = 1;
  while (pending > 0) {
    const Pending ray = stack[--pending];
    const Hits hits = nearest(view, ray.rays, ray.lanes);
    const Mask missed = ray.lanes & same(hits.what, splat(Hits::nothing));
    if (any(missed)) sum = select(missed, sum + ray.weight * sky(view, ray.rays), sum);
    const Mask hit = ray.lanes & !missed;
    if (!any(hit)) continue;
    const Spot spot = find(view, ray.rays, hits, hit);
    const Stuff stuff = look_up(view, spot, hit);
    const Floats clear = clearance(ray.rays, spot);
    const Vecs own = own_light(view, ray.rays, spot, stuff, clear, hit);
    sum = select(hit, sum + ray.weight * own, sum);
    const Mask on = hit & less(Floats{}, stuff.reflect + stuff.refract);
    if (ray.depth > 0 && any(on)) pending += go_on(ray, spot, stuff, clear, on, stack + pending);
  }
}

RAYTRACER_INLINE void draw(const View& view, std::int32_t x, std::int32_t y, std::uint8_t* rgb) {
  static_assert(lane_count == block * block);
  Floats column;
  Floats row;
  for (int lane = 0; lane < lane_count; ++lane) {
    const int below = lane / block;
    column.part[lane / part_lanes][lane % part_lanes] = static_cast<float>(lane % block);
    row.part[lane / part_lanes][lane % part_lanes] = static_cast<float>(below);
  }
  const Floats px = column + static_cast<float>(x);
  const Floats py = row + static_cast<float>(y);
  const auto width = static_cast<float>(view.width);
  const auto height = static_cast<float>(view.height);
  const Mask inside = less(px, splat(width)) & less(py, splat(height));

  Vecs sum;
  const float part = 1 / static_cast<float>(view.samples);
  for (std::int32_t i = 0; i < view.samples; ++i) {
    for (std::int32_t k = 0; k < view.samples; ++k) {
      const float dx = (static_cast<float>(k) + 0.5F) * part;
      const float dy = (static_cast<float>(i) + 0.5F) * part;
      const Floats right = (2.0F * (px + dx) - width) / height;
      const Floats up = 1.0F - 2.0F * (py + dy) / height;
      const Vecs along = splat(view.camera.forward) + splat(view.camera.right) * right +
                         splat(view.camera.up) * up;
      trace(view, {splat(view.camera.from), unit(along)}, inside, sum);
    }
  }
  const Floats scale = splat(part * part * static_cast<float>(gamma_steps));
  const Floats most = splat(static_cast<float>(gamma_steps));
  const auto steps = [&](Floats light) {
    return truncated(min(max(light * scale, Floats{}), most) + 0.5F);
  };
  const Ints red = steps(sum.x);
  const Ints green = steps(sum.y);
  const Ints blue = steps(sum.z);
  for (int lane = 0; lane < lane_count; ++lane) {
    *rgb++ = gamma_table[red[lane]];
    *rgb++ = gamma_table[green[lane]];
    *rgb++ = gamma_table[blue[lane]];
  }
}

}  // namespace raytracer::RAYTRACER_SIMD
