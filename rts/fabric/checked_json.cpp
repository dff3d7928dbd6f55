#include "rts/fabric/checked_json.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <exception>
#include <optional>
#include <unordered_set>
#include <utility>

#include <fmt/format.h>

#include "rts/inline/error.hpp"

namespace trawl::fabric {
namespace {

struct Unit {
  std::string_view name;
  double factor;
};

constexpr std::array times{Unit{"ns", 1.0}, Unit{"us", 1e3}, Unit{"ms", 1e6}, Unit{"s", 1e9}};
constexpr std::array rates{Unit{"B/s", 1e-9}, Unit{"KB/s", 1e-6}, Unit{"MB/s", 1e-3},
                           Unit{"GB/s", 1.0}};
constexpr double longest = 3.6e15;  // a thousand hours
constexpr Nanos shortest_turn = 1'000'000;

/// Of units: nothing if the text is none of them.
template <std::size_t N>
std::optional<double> quantity(const std::string& text, const std::array<Unit, N>& units) {
  std::size_t end = 0;
  double number = -1;
  try {
    if (text.find_first_of("xX") == std::string::npos) number = std::stod(text, &end);
  } catch (const std::exception&) {
  }
  while (end < text.size() && text[end] == ' ') ++end;
  const auto unit = std::find_if(units.begin(), units.end(), [&](const Unit& each) {
    return each.name == std::string_view(text).substr(end);
  });
  if (unit == units.end() || !(number >= 0) || !std::isfinite(number)) return std::nullopt;
  return number * unit->factor;
}

/// Sees a file while it is read: of a member that is given twice the parser would keep one, and of
/// what it can't read it knows no place.
class WayThrough {
 public:
  explicit WayThrough(const std::string& file) : file_(file) {}

  /// To what is read at present.
  std::string path() const {
    std::string path;
    for (const auto& each : open_)
      path +=
          each.is_list ? fmt::format("[{}]", each.values) : (path.empty() ? "" : ".") + each.member;
    return path;
  }

  void see(Json::parse_event_t event, const Json& parsed) {
    using Event = Json::parse_event_t;
    switch (event) {
      case Event::key:
        key(parsed.get<std::string>());
        break;
      case Event::object_start:
      case Event::array_start:
        open_.push_back({event == Event::array_start});
        break;
      case Event::object_end:
      case Event::array_end:
        open_.pop_back();
        [[fallthrough]];
      case Event::value:
        if (!open_.empty()) ++open_.back().values;
    }
  }

 private:
  struct Open {
    bool is_list = false;
    std::size_t values = 0;
    std::string member{};
    std::unordered_set<std::string> members{};
  };

  void key(const std::string& name) {
    open_.back().member = name;
    if (open_.back().members.insert(name).second) return;
    throw Error(file_ + ": " + path() + ": this is given twice, and only one can hold", 2);
  }

  const std::string& file_;
  std::vector<Open> open_;
};

/// Of the parser's message what is about the text: "unexpected ']'; expected '}'".
std::string cause_in(std::string_view message) {
  const auto begin = message.find(" - ");
  return begin == std::string_view::npos ? "" : ": " + std::string(message.substr(begin + 3));
}

}  // namespace

Json parse_checked(std::string_view text, const std::string& file) {
  if (text.find('\0') != std::string_view::npos)  // the parser takes it for the end
    throw Error(file + ": this is not JSON: it has a byte that is 0", 2);
  WayThrough way(file);
  try {
    return Json::parse(text, [&](int, Json::parse_event_t event, const Json& parsed) {
      way.see(event, parsed);
      return true;
    });
  } catch (const Json::parse_error& e) {
    const auto before = text.substr(0, std::min(e.byte, text.size()));
    const auto line = 1 + std::count(before.begin(), before.end(), '\n');
    const auto column = e.byte - (before.rfind('\n') + 1);
    throw Error(fmt::format("{}: line {}, column {}: this is not JSON{}", file, line, column,
                            cause_in(e.what())),
                2);
  } catch (const Json::exception&) {
    throw Error(fmt::format("{}: {}: this number is too large", file, way.path()), 2);
  }
}

void Entry::refuse(const std::string& why) const {
  auto what = file_ + ": " + (path_.empty() ? "" : path_ + ": ") + why;
  for (char& c : what)
    if (static_cast<unsigned char>(c) < ' ') c = '?';  // of what is quoted: it is one line
  throw Error(what, 2);
}

void Entry::check_members(std::initializer_list<std::string_view> known) const {
  if (!value_.is_object()) refuse("this has to be an object, { ... }");
  for (const auto& [name, value] : value_.items())
    if (std::find(known.begin(), known.end(), name) == known.end())
      refuse(fmt::format("there is no '{}' here; there can be {}", name, fmt::join(known, ", ")));
}

Entry Entry::at(const char* name) const {
  if (!has(name)) refuse(fmt::format("'{}' is missing", name));
  return {value_[name], file_, path_.empty() ? name : path_ + "." + name};
}

std::vector<Entry> Entry::elements() const {
  if (!value_.is_array()) refuse("this has to be a list, [ ... ]");
  std::vector<Entry> entries;
  for (std::size_t i = 0; i < value_.size(); ++i)
    entries.emplace_back(value_[i], file_, fmt::format("{}[{}]", path_, i));
  return entries;
}

std::string Entry::text() const {
  if (!value_.is_string()) refuse("this has to be a text, in quotes");
  return value_.get<std::string>();
}

bool Entry::yes_or_no() const {
  if (!value_.is_boolean()) refuse("this has to be true or false");
  return value_.get<bool>();
}

double Entry::number(double least, double most) const {
  if (!value_.is_number()) refuse("this has to be a number");
  const auto number = value_.get<double>();
  if (!(number >= least && number <= most))
    refuse(fmt::format("{} is not between {} and {}", number, least, most));
  return number;
}

int Entry::whole(int least, int most) const {
  const double number_here = number(least, most);
  if (number_here != std::floor(number_here)) refuse("this has to be a whole number");
  return static_cast<int>(number_here);
}

Nanos Entry::time() const {
  const auto nanos = quantity(text(), times);
  if (!nanos) refuse(fmt::format("'{}' is no time: write it as in \"100 ms\"", text()));
  if (*nanos > longest) refuse("that is more than a thousand hours");
  return std::llround(*nanos);
}

Nanos Entry::turn() const {
  const auto nanos = time();
  if (nanos < shortest_turn) refuse("that is less than 1 ms");
  return nanos;
}

double Entry::rate() const {
  const auto rate = quantity(text(), rates);
  if (!rate) refuse(fmt::format("'{}' is no bandwidth: write it as in \"100 KB/s\"", text()));
  if (!(*rate >= 1e-9)) refuse("a bandwidth is at least 1 B/s");
  return *rate;
}

}  // namespace trawl::fabric
