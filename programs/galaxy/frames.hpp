// Pictures of the stars.
#pragma once

#include <cstddef>
#include <vector>

#include "programs/common/picture.hpp"
#include "programs/galaxy/stars.hpp"

namespace galaxy {

/// The stars within one and a half times the first radius, on a picture of pixels x pixels.
programs::Picture frame(const std::vector<Star>& stars, std::size_t pixels);

}  // namespace galaxy
