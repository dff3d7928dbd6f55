#include "profiles/axis.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "profiles/style.hpp"

namespace trawl::profile {

std::string duration(double nanos) {
  if (nanos == 0) return "0 s";
  const auto unit = TimeAxis::unit_for(nanos);
  const double value = nanos / unit.nanos;
  return fixed(value, value < 10 ? 2 : value < 100 ? 1 : 0) + " " + unit.name;
}

std::string fixed(double value, int decimals) {
  char text[64];
  std::snprintf(text, sizeof text, "%.*f", std::clamp(decimals, 0, 9), value);
  return text;
}

double nice_step(double least) {
  const double power = std::pow(10, std::floor(std::log10(least)));
  for (const double factor : {1.0, 2.0, 5.0})
    if (factor * power >= least) return factor * power;
  return 10 * power;
}

TimeAxis::TimeAxis(const Activity& window, double left)
    : left_(left),
      width_(static_cast<double>(window.sum.size())),
      from_(static_cast<double>(window.from)),
      to_(static_cast<double>(window.to)),
      step_(nice_step(std::max(1.0, (to_ - from_) * 90 / width_))),  // 90 pixels or more apart
      unit_(unit_for(to_)),
      decimals_(static_cast<int>(std::ceil(-std::log10(step_ / unit_.nanos) - 1e-9))) {}

TimeAxis::Unit TimeAxis::unit_for(double nanos) {
  for (const Unit unit : {Unit{1e9, "s"}, Unit{1e6, "ms"}, Unit{1e3, "us"}})
    if (nanos >= unit.nanos) return unit;
  return {1, "ns"};
}

template <class F>
void TimeAxis::each_tick(F&& f) const {
  for (double index = std::ceil(from_ / step_); index * step_ <= to_; ++index)
    f(index * step_, std::round(column_of(index * step_)) + 0.5);
}

void TimeAxis::grid(Canvas& canvas, double top, double bottom) const {
  each_tick([&](double, double x) { canvas.line(x, top, x, bottom, faint_rule); });
}

void TimeAxis::draw(Canvas& canvas, double y, bool named) const {
  each_tick([&](double time, double x) {
    canvas.line(x, y, x, y + 5, pale_ink);
    canvas.text(x, y + 18, fixed(time / unit_.nanos, decimals_), small_text, ink, Align::centre);
  });
  if (named)
    canvas.text(left_ + width_ / 2, y + 38, "time (" + std::string(unit_.name) + ")", normal_text,
                ink, Align::centre);
}

std::string TimeAxis::name(Nanos time) const {
  return fixed(static_cast<double>(time) / unit_.nanos, std::max(decimals_, 0) + 1) + " " +
         unit_.name;
}

}  // namespace trawl::profile
