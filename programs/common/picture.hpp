// Pictures that programs give out: PNG and PPM. A program that includes this links libpng.
#pragma once

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <iostream>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <png.h>

#include "programs/common/bad_input.hpp"

namespace programs {

/// Rows from the top, 8-bit red, green, blue: width x height x 3 bytes. sRGB, as screens expect.
struct Picture {
  int width = 0;
  int height = 0;
  std::vector<std::uint8_t> rgb;
};

/// Can a picture be written to a file of this name? Throws BadInput if not; ask before computing.
inline void check_picture(const std::string& file) {
  if (file != "-" && !file.ends_with(".png") && !file.ends_with(".ppm"))
    throw BadInput(file + ": pictures are written as .png or .ppm, or to - as PPM");
  if (file != "-") check_writable(file);
}

namespace detail {

inline void write_ppm(std::ostream& out, const Picture& picture) {
  out << fmt::format("P6\n{} {}\n255\n", picture.width, picture.height);
  out.write(reinterpret_cast<const char*>(picture.rgb.data()),
            static_cast<std::streamsize>(picture.rgb.size()));
  out.flush();
}

}  // namespace detail

/// Writes a picture by the ending of the name: .png, .ppm, or - for PPM on standard output. Throws
/// BadInput when that can't be done.
inline void write(const Picture& picture, const std::string& file) {
  check_picture(file);
  errno = 0;
  if (file == "-") {
    detail::write_ppm(std::cout, picture);
  } else if (file.ends_with(".ppm")) {
    std::ofstream out(file, std::ios::binary);
    detail::write_ppm(out, picture);
    out.close();
    if (!out) throw BadInput(fmt::format("{}: can't be written: {}", file, std::strerror(errno)));
  } else {
    png_image image = {};
    image.version = PNG_IMAGE_VERSION;
    image.width = static_cast<png_uint_32>(picture.width);
    image.height = static_cast<png_uint_32>(picture.height);
    image.format = PNG_FORMAT_RGB;
    if (png_image_write_to_file(&image, file.c_str(), 0, picture.rgb.data(), 0, nullptr) == 0)
      throw BadInput(fmt::format("{}: can't be written: {}", file,
                                 errno != 0 ? std::strerror(errno) : image.message));
  }
}

}  // namespace programs
