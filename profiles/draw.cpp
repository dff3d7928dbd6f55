#include "profiles/draw.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include "profiles/axis.hpp"
#include "profiles/canvas.hpp"
#include "profiles/overall.hpp"
#include "profiles/style.hpp"

namespace trawl::profile {
namespace {

constexpr Colour blocked_tint{0.97, 0.87, 0.85};
constexpr Colour gc_colour{0.16, 0.44, 0.78};
constexpr Colour cross_colour{0.8, 0.1, 0.1};
constexpr Colour move_colour{0.55, 0.2, 0.65};

/// Runs of neighbouring PEs in the same cluster: first, and one past the last.
struct Group {
  std::size_t first, last;
};

std::vector<Group> groups(const std::vector<PeActivity>& pes) {
  std::vector<Group> runs;
  for (std::size_t pe = 0; pe < pes.size(); ++pe)
    if (pe > 0 && pes[pe].header.cluster == pes[pe - 1].header.cluster)
      ++runs.back().last;
    else
      runs.push_back({pe, pe + 1});
  return runs;
}

class Picture {
 public:
  explicit Picture(const Activity& activity)
      : activity_(activity), pes_(activity.pes), clusters_(groups(activity.pes)) {
    for (const auto& pe : pes_) {
      speeds_ |= pe.header.speed != pes_.front().header.speed;
      complete_ &= pe.complete;
      workers_ = std::max(workers_, pe.header.workers);
    }
    while (black_ < 4 * workers_) black_ *= 2;
    const auto count = static_cast<double>(pes_.size());
    // About 760 pixels of bars, up to 3000 when they would get too thin to see, then thinner.
    pitch_ = count <= 1000 ? std::clamp(std::floor(760 / count), 3.0, 34.0) : 3000 / count;
    gap_ = pitch_ < 3 ? 0 : std::max(1.0, std::round(pitch_ * 0.2));

    const std::unique_ptr<cairo_surface_t, decltype(&cairo_surface_destroy)> scratch(
        cairo_image_surface_create(CAIRO_FORMAT_A8, 1, 1), &cairo_surface_destroy);
    Canvas canvas(scratch.get());
    measure_labels(canvas);
    plot_top_ = head(canvas, false);
    plot_bottom_ = plot_top_ + count * pitch_ + gap_;
    overall_top_ = plot_bottom_ + 68;
  }

  int width() const { return static_cast<int>(left_ + columns() + margin + 8); }
  int height() const { return static_cast<int>(overall_top_ + overall_height + 16); }

  void draw(Canvas& canvas) {
    head(canvas, true);
    const TimeAxis axis(activity_, left_);
    axis.grid(canvas, plot_top_, plot_bottom_);
    bars(canvas);
    collections(canvas);
    canvas.frame(left_, plot_top_, columns(), plot_bottom_ - plot_top_, rule);
    ends(canvas, axis);
    decisions(canvas, axis);
    labels(canvas);
    axis.draw(canvas, plot_bottom_, false);
    draw_overall(canvas, activity_, axis, overall_top_);
  }

 private:
  double columns() const { return static_cast<double>(activity_.sum.size()); }
  double row(std::size_t pe) const { return plot_top_ + gap_ + static_cast<double>(pe) * pitch_; }
  double bar_height() const { return pitch_ - gap_; }

  // Labels left of the bars: cluster, speed, PE.

  bool each_row_labelled() const { return pitch_ >= 9; }
  bool brackets() const { return clusters_.size() > 1 && clusters_.size() * 2 <= pes_.size(); }
  bool cluster_column() const {
    return clusters_.size() > 1 && (brackets() || each_row_labelled());
  }
  bool speed_column() const { return speeds_ && each_row_labelled(); }
  double label_size() const { return std::clamp(pitch_ - 2, 8.0, small_text); }
  static std::string speed_text(const PeActivity& pe) { return fixed(pe.header.speed, 2); }
  static std::string cluster_text(const PeActivity& pe) { return pe.header.cluster.substr(0, 24); }

  void measure_labels(Canvas& canvas) {
    double speed_width = canvas.text_width("speed", small_text);
    double cluster_width = canvas.text_width("cluster", small_text);
    for (const auto& pe : pes_) {
      speed_width = std::max(speed_width, canvas.text_width(speed_text(pe), label_size()));
      cluster_width = std::max(cluster_width, canvas.text_width(cluster_text(pe), small_text));
    }
    double x = margin;
    if (cluster_column()) x += cluster_width + 16;
    cluster_right_ = x - 16;
    if (speed_column()) x += speed_width + 12;
    speed_right_ = x - 12;
    const auto last = std::to_string(pes_.back().header.pe);
    x += std::max({canvas.text_width("PE", small_text), canvas.text_width(last, small_text), 28.0});
    left_ = std::ceil(x + 8);
  }

  void labels(Canvas& canvas) {
    const double base = plot_top_ - 8;
    canvas.text(left_ - 8, base, "PE", small_text, pale_ink, Align::right);
    if (speed_column())
      canvas.text(speed_right_, base, "speed", small_text, pale_ink, Align::right);
    if (cluster_column())
      canvas.text(cluster_right_, base, "cluster", small_text, pale_ink, Align::right);
    const auto step = each_row_labelled() ? 1 : static_cast<int>(nice_step(12 / pitch_));
    for (std::size_t pe = 0; pe < pes_.size(); ++pe) {
      if (pes_[pe].header.pe % step != 0) continue;
      const double y = row(pe) + bar_height() / 2 + label_size() * 0.36;
      canvas.text(left_ - 8, y, std::to_string(pes_[pe].header.pe), label_size(), ink,
                  Align::right);
      if (speed_column())
        canvas.text(speed_right_, y, speed_text(pes_[pe]), label_size(), pale_ink, Align::right);
      if (cluster_column() && !brackets())
        canvas.text(cluster_right_, y, cluster_text(pes_[pe]), label_size(), pale_ink,
                    Align::right);
    }
    if (brackets()) bracket_clusters(canvas);
  }

  void bracket_clusters(Canvas& canvas) {
    for (const auto& group : clusters_) {
      const double top = row(group.first);
      const double bottom = row(group.last - 1) + bar_height();
      canvas.line(cluster_right_ + 6.5, top, cluster_right_ + 6.5, bottom, rule);
      if (group.first > 0)
        canvas.line(left_, top - gap_ / 2, left_ + columns(), top - gap_ / 2, rule);
      if (bottom - top >= label_size())
        canvas.text(cluster_right_, (top + bottom) / 2 + 4, cluster_text(pes_[group.first]),
                    std::min(small_text, bottom - top), pale_ink, Align::right);
    }
  }

  // Title and legend.

  std::string title() const {
    const auto& header = pes_.front().header;
    const auto count = pes_.size();
    std::string text = header.program.empty() ? "A run" : header.program.substr(0, 40);
    text += " on " + std::to_string(header.pes) + (header.pes == 1 ? " PE" : " PEs");
    if (count < static_cast<std::size_t>(header.pes))
      text += " (logs of " + std::to_string(count) + ")";
    return text + ", " + duration(static_cast<double>(activity_.run_end));
  }

  std::string subtitle() const {
    Bin total;
    for (const auto& pe : pes_) total += pe.total;
    const double span = static_cast<double>(activity_.length());
    const double share = 100 / (span * static_cast<double>(pes_.size()));
    std::string text = "average parallelism " + fixed(activity_.parallelism(), 2) + " on " +
                       std::to_string(activity_.workers()) +
                       (activity_.workers() == 1 ? " worker" : " workers") +
                       ", garbage collection " + fixed(total.gc * share, 1) + " %";
    if (activity_.from > 0 || activity_.to < activity_.run_end) {
      const TimeAxis axis(activity_, left_);
      text += "; shown: " + axis.name(activity_.from) + " to " + axis.name(activity_.to);
    }
    return text;
  }

  /// Draws what is above the bars, or only measures it; where the bars begin.
  double head(Canvas& canvas, bool draw) {
    const double room = width() - 2 * margin;
    const auto fitting = [&](const std::string& text, double size, bool bold) {
      return std::min(size, size * room / canvas.text_width(text, size, bold));
    };
    if (draw) {
      canvas.text(margin, 36, title(), fitting(title(), 17, true), ink, Align::left, true);
      canvas.text(margin, 57, subtitle(), fitting(subtitle(), normal_text, false), pale_ink);
    }
    return legend(canvas, 84, draw) + 34;
  }

  struct Item {
    Colour colour;
    std::string text;
    bool cross = false;
  };

  std::vector<Item> legend_items() const {
    std::vector<Item> items;
    const auto steps = static_cast<int>(std::log2(black_));
    const int stride = (steps + 4) / 5;
    for (int power = 0; power < steps; power += stride)
      items.push_back({shade(1 << power), std::to_string(1 << power)});
    items.push_back({shade(black_), std::to_string(black_) + " or more"});
    items.push_back({gc_colour, "collection"});
    items.push_back({blocked_tint, "only blocked threads"});
    items.push_back({grey(1), "idle"});
    if (!complete_) items.push_back({cross_colour, "log ends", true});
    if (shards_move()) items.push_back({move_colour, "shards move"});
    return items;
  }

  double legend(Canvas& canvas, double y, bool draw) {
    const std::string head = "Running and runnable threads:";
    if (draw) canvas.text(margin, y, head, small_text, ink);
    double x = margin + canvas.text_width(head, small_text) + 12;
    for (const auto& item : legend_items()) {
      const double wide = 24 + canvas.text_width(item.text, small_text);
      if (x + wide > width() - margin) {
        x = margin;
        y += 20;
      }
      if (draw && item.cross) canvas.cross(x + 9, y - 4, 8, item.colour);
      if (draw && !item.cross) swatch(canvas, x, y, item.colour);
      if (draw) canvas.text(x + 24, y, item.text, small_text, ink);
      x += wide + 16;
    }
    return y;
  }

  // The bars.

  /// One thread is a clearly visible grey, `black_` threads are nearly black.
  Colour shade(double threads) const {
    const double dark = std::log2(std::max(1.0, threads)) / std::log2(black_);
    return grey(0.64 - 0.6 * std::min(1.0, dark));
  }

  /// What a column shows apart from collections: states mixed in proportion to their times.
  Colour colour_of(const Bin& bin, double span) const {
    const double rest = std::max(span - bin.gc, 1e-9);
    const double busy = std::min(1.0, bin.busy / rest);
    const double blocked = std::min(1 - busy, bin.blocked_only / rest);
    const auto dark = bin.busy > 0 ? shade(bin.active / bin.busy) : grey(1);
    const auto mix = [&](double of_dark, double of_blocked) {
      const double light = busy * of_dark + blocked * of_blocked + (1 - busy - blocked);
      return std::round(light * 40) / 40;  // few shades: runs of a colour become one line
    };
    return {mix(dark.red, blocked_tint.red), mix(dark.green, blocked_tint.green),
            mix(dark.blue, blocked_tint.blue)};
  }

  struct Segment {
    double x0, x1, y;
  };

  void bars(Canvas& canvas) {
    std::map<std::tuple<double, double, double>, std::vector<Segment>> lines;
    for (std::size_t pe = 0; pe < pes_.size(); ++pe) {
      const double y = row(pe) + bar_height() / 2;
      for (std::size_t bin = 0; bin < pes_[pe].bins.size(); ++bin) {
        const auto colour = colour_of(pes_[pe].bins[bin], activity_.length(bin));
        if (colour.red + colour.green + colour.blue > 2.999) continue;
        auto& line = lines[{colour.red, colour.green, colour.blue}];
        const double x = left_ + static_cast<double>(bin);
        if (!line.empty() && line.back().y == y && line.back().x1 == x)
          ++line.back().x1;
        else
          line.push_back({x, x + 1, y});
      }
    }
    // Thick lines rather than rectangles, all of a colour in one path: a small SVG.
    auto* cairo = canvas.cairo();
    cairo_set_line_width(cairo, bar_height());
    for (const auto& [colour, segments] : lines) {
      canvas.source({std::get<0>(colour), std::get<1>(colour), std::get<2>(colour)});
      for (const auto& segment : segments) {
        cairo_move_to(cairo, segment.x0, segment.y);
        cairo_line_to(cairo, segment.x1, segment.y);
      }
      cairo_stroke(cairo);
    }
    cairo_set_line_width(cairo, 1);
  }

  /// Collections fill their share of a column from below.
  void collections(Canvas& canvas) {
    auto* cairo = canvas.cairo();
    canvas.source(gc_colour);
    for (std::size_t pe = 0; pe < pes_.size(); ++pe)
      for (std::size_t bin = 0; bin < pes_[pe].bins.size(); ++bin) {
        const double share = std::min(1.0, pes_[pe].bins[bin].gc / activity_.length(bin));
        const double high = std::round(share * 16) / 16 * bar_height();
        if (high > 0)
          cairo_rectangle(cairo, left_ + static_cast<double>(bin), row(pe) + bar_height() - high, 1,
                          high);
      }
    cairo_fill(cairo);
  }

  void ends(Canvas& canvas, const TimeAxis& axis) {
    for (std::size_t pe = 0; pe < pes_.size(); ++pe) {
      const auto last = pes_[pe].last;
      if (pes_[pe].complete || last < activity_.from || last > activity_.to) continue;
      canvas.cross(axis.column_of(static_cast<double>(last)), row(pe) + bar_height() / 2,
                   std::clamp(bar_height(), 4.0, 9.0), cross_colour);
    }
  }

  bool shards_move() const {
    return std::any_of(activity_.decisions.begin(), activity_.decisions.end(),
                       [](const auto& decision) { return decision.moves; });
  }

  /// Where a step of skeletons was cut anew: a line down all bars, broad on those to which shards
  /// come.
  void decisions(Canvas& canvas, const TimeAxis& axis) {
    for (const auto& decision : activity_.decisions) {
      if (!decision.moves) continue;
      const double x = axis.column_of(static_cast<double>(decision.time));
      canvas.line(x, plot_top_, x, plot_bottom_, move_colour);
      for (const auto& part : decision.parts)
        for (std::size_t pe = 0; pe < pes_.size(); ++pe)
          if (static_cast<std::uint32_t>(pes_[pe].header.pe) == part.pe && part.come > 0)
            canvas.rectangle(x - 1.5, row(pe), 3, bar_height(), move_colour);
    }
  }

  const Activity& activity_;
  const std::vector<PeActivity>& pes_;
  std::vector<Group> clusters_;
  bool speeds_ = false;   // they differ
  bool complete_ = true;  // all logs are
  int workers_ = 1;       // of the PE with most
  int black_ = 8;         // so many threads are black
  double pitch_, gap_;    // of the bars
  double left_ = 0, cluster_right_ = 0, speed_right_ = 0;
  double plot_top_, plot_bottom_, overall_top_;
};

}  // namespace

void draw_png(const Activity& activity, const std::string& path) {
  Picture picture(activity);
  write_png(path, picture.width(), picture.height(),
            [&picture](Canvas& canvas) { picture.draw(canvas); });
}

void draw_svg(const Activity& activity, const std::string& path) {
  Picture picture(activity);
  write_svg(path, picture.width(), picture.height(),
            [&picture](Canvas& canvas) { picture.draw(canvas); });
}

}  // namespace trawl::profile
