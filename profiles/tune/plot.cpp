#include "profiles/tune/plot.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "profiles/axis.hpp"
#include "profiles/canvas.hpp"
#include "profiles/style.hpp"

namespace tune {
namespace {

using namespace trawl::profile;

constexpr double names_width = 130, levels_width = 84, plot_width = 420;
constexpr double row_height = 17, factor_gap = 6, panel_head = 56, panel_foot = 40;
constexpr double most_shown = 0.25;   // losses that are larger end in an arrow
constexpr double least_shown = 0.02;  // to each side
// Okabe and Ito's.
constexpr Colour saves{0.0, 0.447, 0.698}, loses{0.835, 0.369, 0.0}, neither = grey(0.5);

struct Scale {
  double low = -least_shown, high = least_shown;
  double left = 0;

  double x(double gain) const {
    return left + (std::clamp(gain, low, high) - low) / (high - low) * plot_width;
  }
};

Scale scale_of(const Result& result, double left) {
  Scale scale;
  scale.left = left;
  for (const auto& on : result.grids)
    for (const auto& effect : on.advice.effects) {
      if (effect.runs == 0 || !std::isfinite(effect.gain.mean)) continue;
      scale.low = std::max(-most_shown, std::min(scale.low, effect.gain.mean * 1.15));
      scale.high = std::max(scale.high, effect.gain.mean * 1.15);
    }
  return scale;
}

double panel_height(const OnGrid& on) {
  double height = panel_head + panel_foot;
  for (const auto& factor : on.space)
    height += static_cast<double>(factor.levels.size() - 1) * row_height + factor_gap;
  return height;
}

void draw_effect(Canvas& canvas, const Scale& scale, const Effect& effect, double y) {
  const auto& gain = effect.gain;
  const bool given_up = !std::isfinite(gain.mean);
  const auto colour = given_up || gain.high < 0 ? loses : gain.low > 0 ? saves : neither;
  const double x = given_up ? scale.x(scale.low) : scale.x(gain.mean);
  canvas.rectangle(std::min(x, scale.x(0)), y - 5, std::abs(x - scale.x(0)), 10, colour);
  const bool beyond = given_up || gain.mean < scale.low;
  if (!beyond) canvas.line(scale.x(gain.low), y, scale.x(gain.high), y, ink);
  const auto said = given_up ? std::string("given up") : percent(gain.mean);
  if (beyond) {
    canvas.text(x + 4, y + 4, "< " + said, small_text, grey(1));
  } else {
    canvas.text(scale.left + plot_width + 8, y + 4, said, small_text, pale_ink);
  }
}

void draw_axis(Canvas& canvas, const Scale& scale, double top, double bottom) {
  const double step = nice_step((scale.high - scale.low) / 6);
  for (double at = std::ceil(scale.low / step) * step; at <= scale.high + 1e-9; at += step) {
    const double x = scale.x(at);
    canvas.line(x, top, x, bottom, std::abs(at) < step / 2 ? rule : faint_rule);
    canvas.text(x, bottom + 15, percent(at), small_text, pale_ink, Align::centre);
  }
}

double draw_panel(Canvas& canvas, const Scale& scale, const OnGrid& on, double top) {
  canvas.text(margin, top + 18, short_grid(on.grid), normal_text, ink, Align::left, true);
  canvas.text(margin, top + 36,
              fmt::format("{} PEs; defaults {}, advised {}", on.pes,
                          duration(on.advice.usual * 1e9), duration(on.advice.taken * 1e9)),
              small_text, pale_ink);
  const double bottom = top + panel_height(on) - panel_foot;
  draw_axis(canvas, scale, top + panel_head - 8, bottom);
  double y = top + panel_head + row_height / 2;
  for (std::size_t factor = 0; factor < on.space.size(); ++factor) {
    const auto& [name, levels, usual] = on.space[factor];
    canvas.text(margin, y + 4, name, small_text);
    for (const auto& effect : on.advice.effects) {
      if (effect.factor != factor) continue;
      canvas.text(scale.left - 8, y + 4, levels[effect.level], small_text, ink, Align::right);
      if (effect.runs > 0) draw_effect(canvas, scale, effect, y);
      y += row_height;
    }
    y += factor_gap;
  }
  return top + panel_height(on);
}

}  // namespace

void draw(const Result& result, const std::string& file) {
  const auto scale = scale_of(result, margin + names_width + levels_width);
  double height = 66;
  for (const auto& on : result.grids) height += panel_height(on);
  const auto draw = [&](Canvas& canvas) {
    canvas.text(margin, 34, "What each flag does by itself: " + result.program.substr(0, 40), 17,
                ink, Align::left, true);
    canvas.text(margin, 54, "time saved, all else as by default; lines are where it is by 95 %",
                small_text, pale_ink);
    double top = 66;
    for (const auto& on : result.grids) top = draw_panel(canvas, scale, on, top);
  };
  const auto width = static_cast<int>(scale.left + plot_width + 70);
  const auto write = file.ends_with(".svg") ? write_svg : write_png;
  write(file, width, static_cast<int>(height), draw);
}

}  // namespace tune
