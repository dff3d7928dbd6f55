#include "profiles/overall.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "profiles/style.hpp"

namespace trawl::profile {
namespace {

// The colours of GUM's overall profile, toned down.
constexpr Colour running_colour{0.36, 0.64, 0.42};
constexpr Colour runnable_colour{0.95, 0.77, 0.38};
constexpr Colour blocked_colour{0.82, 0.42, 0.38};

constexpr double height = 150;

/// Fills what is below a number of threads, one step a bin.
template <class F>
void area(Canvas& canvas, const Activity& activity, double left, double bottom, double scale,
          Colour colour, F&& threads) {
  auto* cairo = canvas.cairo();
  canvas.source(colour);
  cairo_move_to(cairo, left, bottom);
  double drawn = bottom;
  for (std::size_t bin = 0; bin < activity.sum.size(); ++bin) {
    const double y = bottom - threads(activity.sum[bin]) / activity.length(bin) * scale;
    if (std::abs(y - drawn) < 0.05) continue;
    const double x = left + static_cast<double>(bin);
    cairo_line_to(cairo, x, drawn);
    cairo_line_to(cairo, x, y);
    drawn = y;
  }
  const double right = left + static_cast<double>(activity.sum.size());
  cairo_line_to(cairo, right, drawn);
  cairo_line_to(cairo, right, bottom);
  cairo_close_path(cairo);
  cairo_fill(cairo);
}

void legend(Canvas& canvas, double left, double right, double y) {
  const std::string name = "Threads of all PEs:";
  canvas.text(left, y, name, small_text);
  double x = left + canvas.text_width(name, small_text) + 12;
  for (const auto& [colour, text] :
       {std::pair{running_colour, "running"}, std::pair{runnable_colour, "runnable"},
        std::pair{blocked_colour, "blocked"}}) {
    swatch(canvas, x, y, colour);
    canvas.text(x + 24, y, text, small_text);
    x += 40 + canvas.text_width(text, small_text);
  }
  if (x + 80 > right) return;
  canvas.line(x, y - 4, x + 20, y - 4, ink, true);
  canvas.text(x + 26, y, "workers", small_text);
}

}  // namespace

void draw_overall(Canvas& canvas, const Activity& activity, const TimeAxis& axis, double top) {
  const double left = axis.left();
  const double right = left + axis.width();
  const double bottom = top + height;
  double most = activity.workers();
  for (std::size_t bin = 0; bin < activity.sum.size(); ++bin) {
    const auto& sum = activity.sum[bin];
    most = std::max(most, (sum.running + sum.runnable + sum.blocked) / activity.length(bin));
  }
  const double scale = height / (most * 1.04);
  const double step = std::max(1.0, nice_step(most / 5));
  axis.grid(canvas, top, bottom);
  for (int line = 0; line * step <= most; ++line) {
    const double threads = line * step;
    const double y = std::round(bottom - threads * scale) + 0.5;
    if (threads > 0) canvas.line(left, y, right, y, faint_rule);
    canvas.text(left - 8, y + 4, fixed(threads, 0), small_text, ink, Align::right);
  }
  area(canvas, activity, left, bottom, scale, blocked_colour,
       [](const Bin& bin) { return bin.running + bin.runnable + bin.blocked; });
  area(canvas, activity, left, bottom, scale, runnable_colour,
       [](const Bin& bin) { return bin.running + bin.runnable; });
  area(canvas, activity, left, bottom, scale, running_colour,
       [](const Bin& bin) { return bin.running; });
  const double workers = std::round(bottom - activity.workers() * scale) + 0.5;
  canvas.line(left, workers, right, workers, ink, true);
  canvas.frame(left, top, axis.width(), height, rule);
  legend(canvas, left, right, top - 10);
  axis.draw(canvas, bottom, true);
}

}  // namespace trawl::profile
