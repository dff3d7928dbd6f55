#include "profiles/canvas.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>

#include <cairo-svg.h>

#include "profiles/ascii.hpp"
#include "rts/inline/error.hpp"

namespace trawl::profile {
namespace {

using Surface = std::unique_ptr<cairo_surface_t, decltype(&cairo_surface_destroy)>;

[[noreturn]] void refuse(const std::string& path, const char* why) {
  throw Error("cannot write the picture " + path + ": " + why +
                  "; choose another place with -o, --svg or --png",
              2);
}

cairo_status_t append(void* picture, const unsigned char* bytes, unsigned size) {
  static_cast<std::string*>(picture)->append(reinterpret_cast<const char*>(bytes), size);
  return CAIRO_STATUS_SUCCESS;
}

void check(cairo_status_t status, const std::string& path) {
  if (status != CAIRO_STATUS_SUCCESS) refuse(path, cairo_status_to_string(status));
}

// cairo does not say why a file can't be written.
void write(const std::string& path, const std::string& picture) {
  errno = 0;
  std::ofstream out(path, std::ios::binary | std::ios::trunc);
  out << picture << std::flush;
  if (!out) refuse(path, std::strerror(errno));
}

void paint(cairo_surface_t* surface, const Draw& draw) {
  Canvas canvas(surface);
  canvas.source(grey(1));
  cairo_paint(canvas.cairo());
  draw(canvas);
}

}  // namespace

Canvas::Canvas(cairo_surface_t* surface) : cairo_(cairo_create(surface), &cairo_destroy) {
  cairo_set_line_width(cairo(), 1);
}

void Canvas::source(Colour colour) {
  cairo_set_source_rgb(cairo(), colour.red, colour.green, colour.blue);
}

void Canvas::rectangle(double x, double y, double width, double height, Colour fill) {
  source(fill);
  cairo_rectangle(cairo(), x, y, width, height);
  cairo_fill(cairo());
}

void Canvas::frame(double x, double y, double width, double height, Colour colour) {
  source(colour);
  cairo_rectangle(cairo(), x - 0.5, y - 0.5, width + 1, height + 1);
  cairo_stroke(cairo());
}

void Canvas::line(double x0, double y0, double x1, double y1, Colour colour, bool dashed) {
  source(colour);
  const double dash = 4;
  cairo_set_dash(cairo(), &dash, dashed ? 1 : 0, 0);
  cairo_move_to(cairo(), x0, y0);
  cairo_line_to(cairo(), x1, y1);
  cairo_stroke(cairo());
  cairo_set_dash(cairo(), nullptr, 0, 0);
}

void Canvas::cross(double x, double y, double size, Colour colour) {
  source(colour);
  cairo_set_line_width(cairo(), 1.8);
  for (const double slope : {-1.0, 1.0}) {
    cairo_move_to(cairo(), x - size / 2, y - slope * size / 2);
    cairo_line_to(cairo(), x + size / 2, y + slope * size / 2);
  }
  cairo_stroke(cairo());
  cairo_set_line_width(cairo(), 1);
}

void Canvas::text(double x, double y, const std::string& text, double size, Colour colour,
                  Align align, bool bold) {
  const double width = align == Align::left ? 0 : text_width(text, size, bold);
  const double shift = align == Align::centre ? width / 2 : width;
  cairo_select_font_face(cairo(), "sans-serif", CAIRO_FONT_SLANT_NORMAL,
                         bold ? CAIRO_FONT_WEIGHT_BOLD : CAIRO_FONT_WEIGHT_NORMAL);
  cairo_set_font_size(cairo(), size);
  source(colour);
  cairo_move_to(cairo(), x - shift, y);
  cairo_show_text(cairo(), ascii(text).c_str());
  cairo_new_path(cairo());
}

double Canvas::text_width(const std::string& text, double size, bool bold) {
  cairo_select_font_face(cairo(), "sans-serif", CAIRO_FONT_SLANT_NORMAL,
                         bold ? CAIRO_FONT_WEIGHT_BOLD : CAIRO_FONT_WEIGHT_NORMAL);
  cairo_set_font_size(cairo(), size);
  cairo_text_extents_t extents;
  cairo_text_extents(cairo(), ascii(text).c_str(), &extents);
  return extents.x_advance;
}

void write_png(const std::string& path, int width, int height, const Draw& draw) {
  const Surface surface(cairo_image_surface_create(CAIRO_FORMAT_RGB24, width, height),
                        &cairo_surface_destroy);
  paint(surface.get(), draw);
  check(cairo_surface_status(surface.get()), path);
  std::string picture;
  check(cairo_surface_write_to_png_stream(surface.get(), append, &picture), path);
  write(path, picture);
}

void write_svg(const std::string& path, int width, int height, const Draw& draw) {
  std::string picture;
  const Surface surface(cairo_svg_surface_create_for_stream(append, &picture, width, height),
                        &cairo_surface_destroy);
  paint(surface.get(), draw);
  cairo_surface_finish(surface.get());
  check(cairo_surface_status(surface.get()), path);
  write(path, picture);
}

}  // namespace trawl::profile
