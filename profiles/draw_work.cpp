#include "profiles/draw_work.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <vector>

#include "profiles/axis.hpp"
#include "profiles/canvas.hpp"
#include "profiles/style.hpp"

namespace trawl::profile {
namespace {

constexpr double side = 204;  // of a matrix
constexpr double gap = 26;
constexpr double labels = 92;  // left of the first
constexpr int width = static_cast<int>(margin + labels + 5 * side + 4 * gap + margin);
constexpr double matrices_top = 118;
constexpr double matrices_bottom = matrices_top + side;
constexpr double histograms_top = matrices_bottom + 64;
constexpr double histogram_height = 150;
constexpr double histogram_width = 380;
constexpr double histogram_gap = 100;
constexpr int picture_height = static_cast<int>(histograms_top + histogram_height + 62);

constexpr Colour own_colour = grey(0.62);
constexpr Colour imported_colour{0.85, 0.5, 0.2};

/// From white, for none, to a dark blue.
Colour heat(double share) {
  const double much = std::clamp(share, 0.0, 1.0);
  return {1 - 0.9 * much, 1 - 0.68 * much, 1 - 0.4 * much};
}

std::string count_text(double value) {
  if (value < 1e4) return fixed(value, 0);
  return value < 1e7 ? fixed(value / 1e3, 0) + "k" : fixed(value / 1e6, 0) + "M";
}

std::string bytes_text(double bytes) {
  if (bytes < 1024) return fixed(bytes, 0) + " B";
  if (bytes < 1048576) return fixed(bytes / 1024, 0) + " KiB";
  return fixed(bytes / 1048576, 0) + " MiB";
}

struct Measure {
  const char* name;
  std::function<double(const Fishes&)> value;
  std::function<std::string(double)> text;
};

const std::array<Measure, 5>& measures() {
  static const auto number = [](double value) { return count_text(value); };
  static const std::array<Measure, 5> all{
      {{"asked first", [](const Fishes& f) { return static_cast<double>(f.asked); }, number},
       {"found work there", [](const Fishes& f) { return static_cast<double>(f.found); }, number},
       {"passed on there", [](const Fishes& f) { return static_cast<double>(f.forwarded); },
        number},
       {"asked first, in vain", [](const Fishes& f) { return static_cast<double>(f.in_vain); },
        number},
       {"mean time", [](const Fishes& f) { return f.mean_time(); }, duration}}};
  return all;
}

/// One measure of all thieves and victims.
void draw_matrix(Canvas& canvas, const FishMatrix& fishes, const Measure& measure, double left) {
  const auto groups = fishes.names.size();
  const double cell = side / static_cast<double>(groups);
  double most = 0;
  for (const auto& each : fishes.cells) most = std::max(most, measure.value(each));
  canvas.text(left, matrices_top - 24, measure.name, normal_text);
  canvas.text(left + side, matrices_top - 24, "at most " + measure.text(most), small_text, pale_ink,
              Align::right);
  for (std::size_t thief = 0; thief < groups; ++thief)
    for (std::size_t victim = 0; victim < groups; ++victim) {
      const double value = measure.value(fishes.at(thief, victim));
      if (value <= 0) continue;
      const double x = left + static_cast<double>(victim) * cell;
      const double y = matrices_top + static_cast<double>(thief) * cell;
      canvas.rectangle(x, y, cell, cell, heat(value / most));
      const auto text = measure.text(value);
      const double size = std::min(small_text, cell * 0.5);
      if (size >= 7 && canvas.text_width(text, size) <= cell - 1)
        canvas.text(x + cell / 2, y + cell / 2 + size * 0.36, text, size,
                    value > 0.5 * most ? grey(1) : ink, Align::centre);
    }
  canvas.frame(left, matrices_top, side, side, rule);
}

/// Names of thieves beside the first matrix, of victims above each.
void label_matrix(Canvas& canvas, const FishMatrix& fishes, double left, bool thieves) {
  const auto groups = fishes.names.size();
  const double cell = side / static_cast<double>(groups);
  const auto middle = [cell](std::size_t group) {
    return (static_cast<double>(group) + 0.5) * cell;
  };
  const auto name = [&fishes](std::size_t group) { return fishes.names[group].substr(0, 14); };
  const auto step = [cell](double room) {
    return static_cast<std::size_t>(std::max(1.0, nice_step(room / cell)));
  };
  for (std::size_t group = 0; thieves && group < groups; group += step(12))
    canvas.text(left - 6, matrices_top + middle(group) + 4, name(group), small_text, ink,
                Align::right);
  for (std::size_t group = 0; group < groups; group += step(24))
    if (canvas.text_width(name(group), small_text) <= std::max(cell, 24.0))
      canvas.text(left + middle(group), matrices_top - 6, name(group), small_text, pale_ink,
                  Align::centre);
}

/// Two histograms stacked, of what is counted in powers of two.
void draw_histogram(Canvas& canvas, double left, const std::string& title, const Histogram& lower,
                    const Histogram& upper, const std::function<std::string(double)>& name) {
  const auto at = [&](std::size_t column) {
    return static_cast<double>(lower.count[column] + upper.count[column]);
  };
  std::size_t first = 0;
  std::size_t end = Histogram::columns;
  while (first < end && at(first) == 0) ++first;
  while (end > first && at(end - 1) == 0) --end;
  double most = 1;
  for (auto column = first; column < end; ++column) most = std::max(most, at(column));
  const double top = histograms_top;
  const double bottom = top + histogram_height;
  canvas.text(left, top - 12, title, normal_text);
  canvas.text(left - 6, top + 10, count_text(most), small_text, pale_ink, Align::right);
  const double step = histogram_width / static_cast<double>(std::max<std::size_t>(end - first, 8));
  const auto labelled = static_cast<std::size_t>(std::ceil(58 / step));
  for (auto column = first; column < end; ++column) {
    const double x = left + static_cast<double>(column - first) * step;
    const double low = static_cast<double>(lower.count[column]) / most * (histogram_height - 6);
    const double high = static_cast<double>(upper.count[column]) / most * (histogram_height - 6);
    canvas.rectangle(x + 1, bottom - low, step - 2, low, own_colour);
    canvas.rectangle(x + 1, bottom - low - high, step - 2, high, imported_colour);
    if ((column - first) % labelled == 0) {
      canvas.line(x, bottom, x, bottom + 5, pale_ink);
      const double from = column == 0 ? 0 : std::ldexp(1, static_cast<int>(column) - 1);
      canvas.text(x, bottom + 18, name(from), small_text, ink, Align::centre);
    }
  }
  canvas.line(left, bottom, left + histogram_width, bottom, rule);
}

std::string mean_of(const Histogram& histogram, std::string (*text)(double)) {
  return count_text(static_cast<double>(histogram.number)) +
         (histogram.number == 0 ? "" : ", mean " + text(histogram.mean()));
}

void draw_granularity(Canvas& canvas, const Granularity& granularity) {
  const double left = margin + 44;
  const double below = histograms_top + histogram_height + 42;
  draw_histogram(canvas, left, "Threads, by how long they ran", granularity.own,
                 granularity.imported, duration);
  swatch(canvas, left, below, own_colour);
  const auto own = "sparks of this PE: " + mean_of(granularity.own, duration);
  canvas.text(left + 24, below, own, small_text);
  const double next = left + 40 + canvas.text_width(own, small_text);
  swatch(canvas, next, below, imported_colour);
  canvas.text(next + 24, below, "of another PE: " + mean_of(granularity.imported, duration),
              small_text);

  const double second = left + histogram_width + histogram_gap;
  draw_histogram(canvas, second, "Sparks that were sent away, by their messages' bytes",
                 Histogram(), granularity.packets, bytes_text);
  canvas.text(second + 24, below, "sparks: " + mean_of(granularity.packets, bytes_text),
              small_text);
}

/// Four numbers in a square.
void draw_beliefs(Canvas& canvas, const Beliefs& beliefs) {
  const double left = margin + 44 + 2 * (histogram_width + histogram_gap) + 30;
  const double top = histograms_top + 26;
  const double cell = 50;
  const auto number = static_cast<double>(std::max<std::uint64_t>(beliefs.number(), 1));
  canvas.text(left - 50, histograms_top - 12, "Victims' sparks", normal_text);
  canvas.text(left + cell, top - 20, "there were", small_text, pale_ink, Align::centre);
  canvas.text(left - 12, top + 2 * cell + 18, "lines: what the thief believed", small_text,
              pale_ink, Align::centre);
  for (const std::size_t believed : {0U, 1U}) {
    const char* const name = believed == 0 ? "none" : "some";
    const double along = (static_cast<double>(believed) + 0.5) * cell;
    canvas.text(left - 6, top + along + 4, name, small_text, ink, Align::right);
    canvas.text(left + along, top - 6, name, small_text, ink, Align::centre);
    for (const std::size_t had : {0U, 1U}) {
      const double x = left + static_cast<double>(had) * cell;
      const double y = top + static_cast<double>(believed) * cell;
      const double share = static_cast<double>(beliefs.some[believed][had]) / number;
      canvas.rectangle(x, y, cell, cell, heat(share));
      canvas.text(x + cell / 2, y + cell / 2 + 4, fixed(100 * share, 0) + " %", small_text,
                  share > 0.5 ? grey(1) : ink, Align::centre);
    }
  }
  canvas.frame(left, top, 2 * cell, 2 * cell, rule);
}

void draw(Canvas& canvas, const WorkPicture& work) {
  canvas.text(margin, 36, work.title, 17, ink, Align::left, true);
  canvas.text(margin, 57, "Who fished where: thieves are lines, victims columns", normal_text,
              pale_ink);
  double left = margin + labels;
  for (const auto& measure : measures()) {
    draw_matrix(canvas, work.fishes, measure, left);
    label_matrix(canvas, work.fishes, left, &measure == measures().data());
    left += side + gap;
  }
  draw_granularity(canvas, work.granularity);
  if (work.beliefs.number() != 0) draw_beliefs(canvas, work.beliefs);
}

}  // namespace

void draw_work_png(const WorkPicture& work, const std::string& path) {
  write_png(path, width, picture_height, [&work](Canvas& canvas) { draw(canvas, work); });
}

void draw_work_svg(const WorkPicture& work, const std::string& path) {
  write_svg(path, width, picture_height, [&work](Canvas& canvas) { draw(canvas, work); });
}

}  // namespace trawl::profile
