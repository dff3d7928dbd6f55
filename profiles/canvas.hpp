// A thin layer over cairo: one picture, the few things the profiles draw.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include <cairo.h>

namespace trawl::profile {

struct Colour {
  double red, green, blue;
};

constexpr Colour grey(double light) {
  return {light, light, light};
}

enum class Align { left, centre, right };

/// Draws on a cairo surface in pixels; (0, 0) is the upper left corner.
class Canvas {
 public:
  explicit Canvas(cairo_surface_t* surface);

  void rectangle(double x, double y, double width, double height, Colour fill);
  void frame(double x, double y, double width, double height, Colour colour);
  void line(double x0, double y0, double x1, double y1, Colour colour, bool dashed = false);
  void cross(double x, double y, double size, Colour colour);

  /// `y` is the base line. Whatever is not printable ASCII shows as '?'.
  void text(double x, double y, const std::string& text, double size, Colour colour = grey(0.1),
            Align align = Align::left, bool bold = false);
  double text_width(const std::string& text, double size, bool bold = false);

  /// For paths of many pieces.
  cairo_t* cairo() { return cairo_.get(); }
  void source(Colour colour);

 private:
  std::unique_ptr<cairo_t, decltype(&cairo_destroy)> cairo_;
};

/// Runs `draw` on a picture of that size and writes it to `path`. Throws Error (exit code 2) when
/// it can't be written.
using Draw = std::function<void(Canvas&)>;
void write_png(const std::string& path, int width, int height, const Draw& draw);
void write_svg(const std::string& path, int width, int height, const Draw& draw);

}  // namespace trawl::profile
