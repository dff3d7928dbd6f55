#include "programs/raytracer/text.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "programs/common/text.hpp"

namespace raytracer {
namespace {

using programs::shown;

constexpr std::string_view blanks = " \t\r\v\f";

}  // namespace

bool Text::next_line() {
  fields_.clear();
  while (!rest_.empty()) {
    ++number_;
    line_ = rest_.substr(0, rest_.find('\n'));
    rest_.remove_prefix(std::min(line_.size() + 1, rest_.size()));
    line_ = line_.substr(0, line_.find('#'));
    if (line_.find_first_not_of(blanks) != line_.npos) return true;
  }
  return false;
}

std::string_view Text::next_word() {
  line_.remove_prefix(std::min(line_.find_first_not_of(blanks), line_.size()));
  const std::string_view word = line_.substr(0, line_.find_first_of(blanks));
  line_.remove_prefix(word.size());
  return word;
}

std::string_view Text::word(std::string_view what) {
  const std::string_view word = next_word();
  if (word.empty()) fail(fmt::format("{} is missing at the end of the line", what));
  return word;
}

std::string_view Text::next_field() {
  const std::string_view field = next_word();
  if (has(field)) fail(fmt::format("{} is given twice", shown(field)));
  if (!field.empty()) fields_.push_back(field);
  return field;
}

bool Text::has(std::string_view field) const {
  return std::find(fields_.begin(), fields_.end(), field) != fields_.end();
}

void Text::need(std::string_view field) const {
  if (!has(field)) fail(fmt::format("{} is missing", field));
}

bool Text::number_follows() const {
  const auto at = line_.find_first_not_of(blanks);
  return at != line_.npos && std::string_view("+-.0123456789").find(line_[at]) != line_.npos;
}

float Text::number() {
  return number(-largest, largest);
}

float Text::number(float low, float high) {
  const std::string_view text = word("a number");
  float value = 0;
  auto error = programs::number(text, value);
  if (error == std::errc::result_out_of_range) {  // too small for a float is as good as 0
    double wide = 0;
    error = programs::number(text, wide);
    value = std::abs(wide) < 1 ? 0 : INFINITY;
  }
  if (error == std::errc::invalid_argument) fail(fmt::format("{} is not a number", shown(text)));
  if (error != std::errc() || !(value >= low && value <= high))
    fail(fmt::format("{} is not between {:g} and {:g}", shown(text), low, high));
  return value;
}

std::int32_t Text::integer(std::int32_t low, std::int32_t high) {
  const std::string_view text = word("a number");
  std::int64_t value = 0;
  if (programs::number(text, value) != std::errc())
    fail(fmt::format("{} is not a whole number", shown(text)));
  if (value < low || value > high)
    fail(fmt::format("{} is not between {} and {}", shown(text), low, high));
  return static_cast<std::int32_t>(value);
}

Vec Text::vec() {
  return vec(-largest, largest);
}

Vec Text::vec(float low, float high) {
  Vec v;
  v.x = number(low, high);
  v.y = number(low, high);
  v.z = number(low, high);
  return v;
}

void Text::end_of_line() {
  const std::string_view word = next_word();
  if (!word.empty()) fail(fmt::format("{} is too much", shown(word)));
}

std::string Text::where() const {
  const auto name = shown(name_, name_.size());
  return number_ == 0 ? name : fmt::format("{}:{}", name, number_);
}

void Text::fail(const std::string& cause) const {
  throw programs::BadInput(where() + ": " + cause);
}

}  // namespace raytracer
