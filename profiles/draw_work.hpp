// The picture of how work travelled: who fished where and with what success, how long threads ran,
// how large were the packets.
#pragma once

#include <string>

#include "profiles/fishing.hpp"
#include "profiles/granularity.hpp"

namespace trawl::profile {

struct WorkPicture {
  std::string title;
  FishMatrix fishes;
  Beliefs beliefs;
  Granularity granularity;
};

/// More groups than this are no help to the eye.
inline constexpr int most_drawn_groups = 64;

/// Throw Error (exit code 2) when the file can't be written.
void draw_work_png(const WorkPicture& work, const std::string& path);
void draw_work_svg(const WorkPicture& work, const std::string& path);

}  // namespace trawl::profile
