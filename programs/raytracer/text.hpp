// Text files of words and numbers, a statement a line, and complaints that name the line.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "programs/raytracer/scene.hpp"

namespace raytracer {

/// Goes through a text line by line, and through each line word by word. What follows # is left
/// out. What it can't make sense of is a BadInput `FILE:LINE: cause`.
class Text {
 public:
  /// Coordinates and other numbers are at most this large.
  static constexpr float largest = 1e6F;

  Text(std::string name, std::string_view text) : name_(std::move(name)), rest_(text) {}

  /// Goes to the next line that has a word; false at the end.
  bool next_line();
  /// The next word of the line; empty at its end.
  std::string_view next_word();
  /// The next word, which must be there; `what` is what it is.
  std::string_view word(std::string_view what);
  /// The next word, a name of a value; each may be given once a line. Empty at the end of the line.
  std::string_view next_field();
  /// Was a field of this name given in this line?
  bool has(std::string_view field) const;
  /// Complains if it wasn't.
  void need(std::string_view field) const;
  /// Is the next word a number, or something that begins like one?
  bool number_follows() const;

  float number();
  float number(float low, float high);
  std::int32_t integer(std::int32_t low, std::int32_t high);
  Vec vec();
  Vec vec(float low, float high);
  void end_of_line();

  /// FILE:LINE
  std::string where() const;
  [[noreturn]] void fail(const std::string& cause) const;

 private:
  std::string name_;
  std::string_view rest_;
  std::string_view line_;
  std::vector<std::string_view> fields_;
  std::size_t number_ = 0;
};

}  // namespace raytracer
