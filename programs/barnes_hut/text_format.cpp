#include "programs/barnes_hut/text_format.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <system_error>

#include <fmt/format.h>

#include "programs/common/text.hpp"

namespace bh {
namespace {

using programs::BadInput;
using programs::shown;

constexpr std::string_view blanks = " \t\r\f\v";
constexpr std::string_view separators = " \t\r\f\v,";
constexpr std::array<std::string_view, 7> columns{"mass", "x", "y", "z", "vx", "vy", "vz"};

struct Fault {
  std::string cause;
};

// Blanks, or a comma with blanks around it; two commas have an empty field between them.
std::vector<std::string_view> split(std::string_view line) {
  std::vector<std::string_view> fields;
  bool after_comma = false;
  for (;;) {
    line.remove_prefix(std::min(line.find_first_not_of(blanks), line.size()));
    if (line.empty() && !after_comma) return fields;
    const auto end = std::min(line.find_first_of(separators), line.size());
    fields.push_back(line.substr(0, end));
    line.remove_prefix(end);
    line.remove_prefix(std::min(line.find_first_not_of(blanks), line.size()));
    after_comma = line.starts_with(',');
    if (after_comma) line.remove_prefix(1);
  }
}

bool names_columns(const std::vector<std::string_view>& fields) {
  return std::equal(fields.begin(), fields.end(), columns.begin(), columns.end());
}

double number(std::string_view text) {
  double value = 0;
  const auto error = programs::number(text, value);
  if (error == std::errc::result_out_of_range)
    throw Fault{fmt::format("'{}' is out of range", shown(text))};
  if (error != std::errc()) throw Fault{fmt::format("'{}' is no number", shown(text))};
  return value;
}

// Lines that follow each other.
class LineReader {
 public:
  // Lines behind a fault are only counted.
  void add(std::string_view line) {
    ++summary_.lines;
    if (summary_.faulty_line != 0) return;
    try {
      read(line);
    } catch (const Fault& fault) {
      summary_.faulty_line = summary_.lines;
      summary_.fault = fault.cause;
    }
  }
  TextSummary summary() const {
    auto summary = summary_;
    summary.bodies = bodies_.size();
    return summary;
  }
  Bodies take() && { return std::move(bodies_); }

 private:
  void read(std::string_view line) {
    if (const auto comment = line.find('#'); comment != std::string_view::npos) {
      read_comment(line.substr(comment + 1));
      line = line.substr(0, comment);
    }
    const auto fields = split(line);
    if (fields.empty()) return;
    if (bodies_.empty() && names_columns(fields)) {
      if (summary_.names_line == 0) summary_.names_line = summary_.lines;
      return;
    }
    if (fields.size() != columns.size())
      throw Fault{fmt::format("{} numbers, but a body has 7: mass x y z vx vy vz", fields.size())};
    std::array<double, columns.size()> v{};
    for (std::size_t i = 0; i < v.size(); ++i) v[i] = number(fields[i]);
    Body body;
    body.mass = v[0];
    body.position = {v[1], v[2], v[3]};
    body.velocity = {v[4], v[5], v[6]};
    if (const auto cause = fault(body); !cause.empty()) throw Fault{cause};
    bodies_.push_back(body);
  }

  void read_comment(std::string_view text) {
    const auto fields = split(text);
    if (fields.size() != 2 || fields[0] != "time") return;
    summary_.time = number(fields[1]);
    summary_.has_time = true;
    if (!std::isfinite(summary_.time)) throw Fault{"the time is infinite or not a number"};
  }

  TextSummary summary_;
  Bodies bodies_;
};

LineReader read(const std::vector<std::string>& lines) {
  LineReader reader;
  for (const auto& line : lines) reader.add(line);
  return reader;
}

}  // namespace

TextSummary summary_of(const std::vector<std::string>& lines) {
  return read(lines).summary();
}

TextSummary joined(const TextSummary& a, const TextSummary& b) {
  TextSummary both = a;
  both.lines += b.lines;
  both.bodies += b.bodies;
  if (a.faulty_line != 0) return both;
  if (b.names_line != 0 && a.bodies != 0) {
    both.faulty_line = a.lines + b.names_line;
    both.fault = fmt::format("'{}' is no number", columns[0]);
    return both;
  }
  if (b.has_time) {
    both.has_time = true;
    both.time = b.time;
  }
  if (b.names_line != 0 && a.names_line == 0) both.names_line = a.lines + b.names_line;
  if (b.faulty_line != 0) {
    both.faulty_line = a.lines + b.faulty_line;
    both.fault = b.fault;
  }
  return both;
}

void check_text(const std::string& file, const TextSummary& summary) {
  if (summary.faulty_line != 0)
    throw BadInput(fmt::format("{}:{}: {}", file, summary.faulty_line, summary.fault));
  if (summary.bodies == 0) throw BadInput(file + ": there are no bodies in it");
}

Bodies bodies_of(const std::vector<std::string>& lines) {
  return read(lines).take();
}

Snapshot read_text(const std::string& file, std::string_view content) {
  LineReader reader;
  while (!content.empty()) {
    const auto end = std::min(content.find('\n'), content.size());
    reader.add(content.substr(0, end));
    content.remove_prefix(std::min(end + 1, content.size()));
  }
  const auto summary = reader.summary();
  check_text(file, summary);
  return {std::move(reader).take(), summary.time};
}

std::string text_of(const Bodies& bodies, double time, bool csv) {
  std::string out;
  if (!bodies.empty() && bodies.front().place == 0) {
    out = fmt::format("{}{}\n", csv ? "" : "# ", fmt::join(columns, csv ? "," : " "));
    if (!csv) out = fmt::format("# time {}\n", time) + out;
  }
  const char* format = csv ? "{},{},{},{},{},{},{}\n" : "{} {} {} {} {} {} {}\n";
  for (const auto& b : bodies)
    fmt::format_to(std::back_inserter(out), fmt::runtime(format), b.mass, b.position.x,
                   b.position.y, b.position.z, b.velocity.x, b.velocity.y, b.velocity.z);
  return out;
}

}  // namespace bh
