#include "programs/tsp/tsplib.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <istream>
#include <map>
#include <optional>
#include <ostream>
#include <sstream>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "programs/common/text.hpp"

namespace tsp {

namespace {

using programs::shown;

constexpr std::uintmax_t largest_file = 16'000'000;  // bytes; far more than 200 cities need
constexpr double largest_coordinate = 7e6;  // no two are further apart than longest_distance

struct Place {
  double x = 0;
  double y = 0;
};

// ---- distances, as TSPLIB defines them ---------------------------------------------------------

double rounded(double x) {
  return std::floor(x + 0.5);
}

double euclidean(const Place& a, const Place& b) {
  return std::sqrt((a.x - b.x) * (a.x - b.x) + (a.y - b.y) * (a.y - b.y));
}

double euc_2d(const Place& a, const Place& b) {
  return rounded(euclidean(a, b));
}
double ceil_2d(const Place& a, const Place& b) {
  return std::ceil(euclidean(a, b));
}

double att(const Place& a, const Place& b) {
  const double exact = euclidean(a, b) / std::sqrt(10.0);
  const double near = rounded(exact);
  return near < exact ? near + 1 : near;
}

/// Degrees and minutes, written DDD.MM, in radians.
double radians(double place) {
  constexpr double pi = 3.141592;  // of TSPLIB, not of the circle
  const double degrees = std::trunc(place);
  return pi * (degrees + 5.0 * (place - degrees) / 3.0) / 180.0;
}

double geo(const Place& a, const Place& b) {
  constexpr double earth = 6378.388;  // km
  const double q1 = std::cos(radians(a.y) - radians(b.y));
  const double q2 = std::cos(radians(a.x) - radians(b.x));
  const double q3 = std::cos(radians(a.x) + radians(b.x));
  const double cosine = 0.5 * ((1.0 + q1) * q2 - (1.0 - q1) * q3);
  return std::trunc(earth * std::acos(std::clamp(cosine, -1.0, 1.0)) + 1.0);
}

using Metric = double (*)(const Place&, const Place&);

Metric metric_named(const std::string& name) {
  static const std::map<std::string, Metric> metrics{
      {"EUC_2D", euc_2d}, {"CEIL_2D", ceil_2d}, {"GEO", geo}, {"ATT", att}};
  const auto found = metrics.find(name);
  return found == metrics.end() ? nullptr : found->second;
}

/// The pairs of an EDGE_WEIGHT_FORMAT, in its order.
std::optional<std::vector<std::pair<int, int>>> pairs_of(const std::string& format, int cities) {
  std::vector<std::pair<int, int>> pairs;
  // A matrix by columns is its mirror image by rows.
  const bool full = format == "FULL_MATRIX";
  const bool lower = format == "LOWER_ROW" || format == "UPPER_COL";
  const bool lower_diagonal = format == "LOWER_DIAG_ROW" || format == "UPPER_DIAG_COL";
  const bool upper = format == "UPPER_ROW" || format == "LOWER_COL";
  const bool upper_diagonal = format == "UPPER_DIAG_ROW" || format == "LOWER_DIAG_COL";
  if (!full && !lower && !lower_diagonal && !upper && !upper_diagonal) return std::nullopt;
  for (int row = 0; row < cities; ++row) {
    const int from = upper ? row + 1 : upper_diagonal ? row : 0;
    const int to = lower ? row : lower_diagonal ? row + 1 : cities;
    for (int column = from; column < to; ++column) pairs.emplace_back(row, column);
  }
  return pairs;
}

// ---- the file ----------------------------------------------------------------------------------

std::string trimmed(const std::string& text) {
  const auto space = [](char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; };
  const auto begin = std::find_if_not(text.begin(), text.end(), space);
  const auto end = std::find_if_not(text.rbegin(), std::make_reverse_iterator(begin), space).base();
  return {begin, end};
}

class Reader {
 public:
  Reader(std::istream& in, std::string name) : in_(in), name_(std::move(name)) {}

  Problem read() {
    while (!done_ && next_line()) {
      if (const std::string line = trimmed(line_); !line.empty()) take(line);
    }
    if (cities_ == 0) refuse("it has no DIMENSION");
    if (metric_ != nullptr && places_.empty()) refuse("it has no NODE_COORD_SECTION");
    if (metric_ == nullptr && !filled_) refuse("it has no EDGE_WEIGHT_SECTION");
    if (metric_ == nullptr) return std::move(problem_);
    Problem problem = empty_problem(cities_);
    for (int a = 0; a < cities_; ++a)
      for (int b = 0; b < a; ++b) {
        const auto i = static_cast<std::size_t>(a);
        const auto j = static_cast<std::size_t>(b);
        problem.set_distance(a, b, metric_(places_[i], places_[j]));
      }
    return problem;
  }

 private:
  [[noreturn]] void refuse(const std::string& why) const {
    throw programs::BadInput(number_ == 0 ? fmt::format("{}: {}, as the file is empty", name_, why)
                                          : fmt::format("{}: {} (line {})", name_, why, number_));
  }

  bool next_line() {
    if (!std::getline(in_, line_)) return false;
    ++number_;
    rest_.clear();
    rest_.str(line_);
    return true;
  }

  /// A line that is not within a section.
  void take(const std::string& line) {
    const auto colon = line.find(':');
    const std::string key = trimmed(line.substr(0, colon));
    const std::string value = colon == std::string::npos ? "" : trimmed(line.substr(colon + 1));
    if (key == "EOF")
      done_ = true;
    else if (key == "TYPE")
      take_type(value);
    else if (key == "DIMENSION")
      take_dimension(value);
    else if (key == "EDGE_WEIGHT_TYPE")
      take_weight_type(value);
    else if (key == "EDGE_WEIGHT_FORMAT")
      format_ = value;
    else if (key == "NODE_COORD_SECTION")
      take_places();
    else if (key == "EDGE_WEIGHT_SECTION")
      take_weights();
    else if (key == "DISPLAY_DATA_SECTION")
      skip_display();
    else if (key != "NAME" && key != "COMMENT" && key != "NODE_COORD_TYPE" &&
             key != "DISPLAY_DATA_TYPE")
      refuse(fmt::format("'{}' is not understood", shown(key)));
  }

  void take_type(const std::string& value) {
    // Some say TSP (with a name after it).
    if (value != "TSP" && !value.starts_with("TSP "))
      refuse(fmt::format("TYPE is '{}'; it can be TSP", shown(value)));
  }

  void take_dimension(const std::string& value) {
    if (cities_ != 0) refuse("a second DIMENSION");
    int cities = 0;
    if (programs::number(value, cities) != std::errc() || cities < 1 || cities > most_cities)
      refuse(fmt::format("DIMENSION is '{}'; it can be from 1 to {}", shown(value), most_cities));
    cities_ = cities;
  }

  void take_weight_type(const std::string& value) {
    metric_ = metric_named(value);
    weight_type_ = value;
    if (metric_ == nullptr && value != "EXPLICIT")
      refuse(
          fmt::format("EDGE_WEIGHT_TYPE is '{}'; it can be EUC_2D, CEIL_2D, GEO, ATT or EXPLICIT",
                      shown(value)));
  }

  /// The next number, on whichever line it is.
  double next_number(const char* section) {
    std::string word;
    while (!(rest_ >> word))
      if (!next_line()) refuse(fmt::format("the {} ends too early", section));
    double number = 0;
    if (programs::number(word, number) != std::errc() || !std::isfinite(number))
      refuse(fmt::format("'{}' in the {} is no number", shown(word), section));
    return number;
  }

  void end_line(const char* section) {
    std::string word;
    if (rest_ >> word) refuse(fmt::format("'{}' after the {}", shown(word), section));
  }

  void begin_section(const char* section, bool twice) {
    if (cities_ == 0) refuse(fmt::format("the {} comes before the DIMENSION", section));
    if (twice) refuse(fmt::format("a second {}", section));
    rest_.clear();
    rest_.str("");
  }

  void take_places() {
    constexpr const char* section = "NODE_COORD_SECTION";
    begin_section(section, !places_.empty());
    places_.resize(static_cast<std::size_t>(cities_));
    std::vector<bool> known(static_cast<std::size_t>(cities_));
    for (int i = 0; i < cities_; ++i) {
      const double city = next_number(section);
      if (!(city >= 1 && city <= cities_) || city != std::floor(city))
        refuse(fmt::format("a city is called {}; it can be 1 to {}", city, cities_));
      const auto index = static_cast<std::size_t>(city) - 1;
      if (known[index]) refuse(fmt::format("city {} is there twice", city));
      known[index] = true;
      places_[index] = {coordinate(), coordinate()};
    }
    end_line(section);
  }

  double coordinate() {
    const double x = next_number("NODE_COORD_SECTION");
    if (std::abs(x) > largest_coordinate)
      refuse(fmt::format("a coordinate is {}; it can be up to {}", x, largest_coordinate));
    return x;
  }

  void take_weights() {
    constexpr const char* section = "EDGE_WEIGHT_SECTION";
    begin_section(section, filled_);
    const auto pairs = pairs_of(format_, cities_);
    if (weight_type_ != "EXPLICIT" || !pairs)
      refuse(
          fmt::format("EDGE_WEIGHT_FORMAT is '{}'; it can be FULL_MATRIX or one of "
                      "UPPER, LOWER, with or without DIAG, ROW or COL; and the "
                      "EDGE_WEIGHT_TYPE before it EXPLICIT",
                      shown(format_)));
    problem_ = empty_problem(cities_);
    for (const auto& [a, b] : *pairs) take_weight(a, b);
    end_line(section);
    filled_ = true;
  }

  void take_weight(int a, int b) {
    const double weight = next_number("EDGE_WEIGHT_SECTION");
    if (a == b) return;
    if (weight != std::floor(weight) || !(weight >= 0 && weight <= longest_distance))
      refuse(fmt::format("a distance is {}; it can be a whole number from 0 to {}", weight,
                         longest_distance));
    // The lower half of a full matrix is seen second.
    if (format_ == "FULL_MATRIX" && b < a && static_cast<double>(problem_.distance(a, b)) != weight)
      refuse(fmt::format("cities {} and {} are not as far from each other as back", b + 1, a + 1));
    problem_.set_distance(a, b, weight);
  }

  void skip_display() {
    constexpr const char* section = "DISPLAY_DATA_SECTION";
    begin_section(section, false);
    for (int i = 0; i < 3 * cities_; ++i) next_number(section);
    end_line(section);
  }

  std::istream& in_;
  std::string name_;
  std::string line_;
  int number_ = 0;           // of the line
  std::istringstream rest_;  // of the line
  bool done_ = false;
  int cities_ = 0;
  Metric metric_ = nullptr;
  std::string weight_type_;
  std::string format_ = "none";
  std::vector<Place> places_;
  Problem problem_;
  bool filled_ = false;
};

}  // namespace

Problem read_tsplib(std::istream& in, const std::string& name) {
  return Reader(in, name).read();
}

Problem read_tsplib_file(const std::string& file) {
  std::istringstream in(programs::read_file(file, largest_file));
  return read_tsplib(in, file);
}

void write_tour(std::ostream& out, const std::string& name, const Tour& tour, Length length) {
  out << fmt::format("NAME: {}\nCOMMENT: length {}, the shortest\nTYPE: TOUR\nDIMENSION: {}\n",
                     name, length, tour.size())
      << "TOUR_SECTION\n";
  for (const City city : tour) out << city + 1 << '\n';
  out << "-1\nEOF\n";
}

}  // namespace tsp
