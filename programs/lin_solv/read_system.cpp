// Readers for the two formats.
#include <algorithm>
#include <cctype>
#include <optional>
#include <string_view>

#include "programs/common/text.hpp"
#include "programs/lin_solv/system.hpp"

namespace lin_solv {
namespace {

using programs::BadInput;
using programs::shown;

constexpr std::size_t most_decimals = 10000;

bool is_space(char c) {
  return std::isspace(static_cast<unsigned char>(c)) != 0;
}

/// A text, word by word, with the line for complaints.
class Words {
 public:
  explicit Words(std::string file) : file_(std::move(file)), text_(programs::read_file(file_)) {}

  [[noreturn]] void complain(const std::string& what) const {
    throw BadInput(fmt::format("{}, line {}: {}", file_, line_, what));
  }

  /// The rest of the line, if it begins so.
  std::optional<std::string_view> line_that_begins(std::string_view begin) {
    if (!std::string_view(text_).substr(at_).starts_with(begin)) return std::nullopt;
    const auto end = std::min(text_.find('\n', at_), text_.size());
    const auto line = std::string_view(text_).substr(at_, end - at_);
    at_ = end;
    return line;
  }
  void skip_comments() {
    do skip_space();
    while (line_that_begins("%"));
  }

  /// The next word; empty at the end.
  std::string_view word() {
    skip_space();
    const auto begin = at_;
    while (at_ < text_.size() && !is_space(text_[at_])) ++at_;
    return std::string_view(text_).substr(begin, at_ - begin);
  }

  mpz_class integer(std::string_view what) {
    const auto token = word();
    if (token.empty()) complain(fmt::format("the file ends where {} should be", what));
    const auto digits = token.substr(token[0] == '-' || token[0] == '+' ? 1 : 0);
    if (digits.empty() || digits.find_first_not_of("0123456789") != digits.npos)
      complain(fmt::format("'{}' is no integer", shown(token)));
    if (digits.size() > most_decimals)
      complain(fmt::format("a number of {} digits; {} are the most", digits.size(), most_decimals));
    mpz_class value(std::string(digits), 10);
    if (token[0] == '-') mpz_neg(value.get_mpz_t(), value.get_mpz_t());
    return value;
  }

  std::uint64_t number(std::string_view what, std::uint64_t low, std::uint64_t high) {
    const mpz_class value = integer(what);
    if (value < low || value > high)
      complain(
          fmt::format("{} is {}; it can be {} to {}", what, shown(value.get_str()), low, high));
    return value.get_ui();
  }

  /// A number of that many words can't be there: said before memory is taken for them.
  void expect_words(std::uint64_t count) const {
    if (count > text_.size() - at_)
      complain(fmt::format("{} numbers should follow, but the file is too short", count));
  }

  void expect_end() {
    if (const auto token = word(); !token.empty())
      complain(fmt::format("'{}' is one word too many", shown(token)));
  }

 private:
  void skip_space() {
    for (; at_ < text_.size() && is_space(text_[at_]); ++at_)
      if (text_[at_] == '\n') ++line_;
  }

  std::string file_;
  std::string text_;
  std::size_t at_ = 0;
  std::size_t line_ = 1;
};

/// The first line of a MatrixMarket file.
struct Banner {
  bool coordinate = false;
  bool mirrored = false;  // symmetric or skew-symmetric: only the lower triangle is given
  bool skew = false;
};

Banner banner_of(const Words& words, std::string_view line) {
  std::vector<std::string> parts(1);
  for (const char c : line)
    if (!is_space(c))
      parts.back() += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    else if (!parts.back().empty())
      parts.emplace_back();
  if (parts.back().empty()) parts.pop_back();
  if (parts.size() != 5 || parts[1] != "matrix")
    words.complain("expected '%%MatrixMarket matrix FORMAT integer SYMMETRY'");
  const auto one_of = [&](const std::string& part, std::initializer_list<std::string_view> known) {
    if (std::find(known.begin(), known.end(), part) != known.end()) return;
    words.complain(fmt::format("a MatrixMarket matrix of kind '{}' can't be used; known are {}",
                               shown(part), fmt::join(known, ", ")));
  };
  one_of(parts[2], {"array", "coordinate"});
  one_of(parts[3], {"integer"});
  one_of(parts[4], {"general", "symmetric", "skew-symmetric"});
  return {parts[2] == "coordinate", parts[4] != "general", parts[4] == "skew-symmetric"};
}

/// Where the numbers of a MatrixMarket file go: into columns of a system.
class Target {
 public:
  Target(System& system, std::size_t first_column, std::size_t columns, const Banner& banner)
      : system_(system), first_(first_column), columns_(columns), banner_(banner) {}

  void read_array(Words& words) {
    for (std::size_t column = 0; column < columns_; ++column)
      for (std::size_t row = banner_.mirrored ? column + (banner_.skew ? 1 : 0) : 0;
           row < system_.rows; ++row)
        put(row, column, words.integer("an entry"));
  }

  void read_coordinates(Words& words, std::uint64_t count) {
    std::vector<bool> seen(system_.rows * columns_);
    for (std::uint64_t i = 0; i < count; ++i) {
      const auto row = words.number("a row", 1, system_.rows) - 1;
      const auto column = words.number("a column", 1, columns_) - 1;
      if (banner_.mirrored && (row < column || (banner_.skew && row == column)))
        words.complain("an entry above the lower triangle of a symmetric matrix");
      if (seen[row * columns_ + column])
        words.complain(fmt::format("entry ({}, {}) is there twice", row + 1, column + 1));
      seen[row * columns_ + column] = true;
      put(row, column, words.integer("an entry"));
    }
  }

 private:
  void put(std::size_t row, std::size_t column, const mpz_class& value) {
    system_.set(row, first_ + column, value);
    if (banner_.mirrored && row != column)
      system_.set(column, first_ + row, banner_.skew ? mpz_class(-value) : value);
  }

  System& system_;
  std::size_t first_;
  std::size_t columns_;
  Banner banner_;
};

/// The body of a MatrixMarket file. Makes the system if it has no rows yet; otherwise this is its
/// right-hand side.
void read_market(Words& words, std::string_view line, System& system) {
  const Banner banner = banner_of(words, line);
  words.skip_comments();
  const bool whole = system.rows == 0;
  const auto rows = words.number("the number of rows", 1, System::most_rows);
  const auto columns = words.number("the number of columns", 1, System::most_rows);
  if (whole && rows != columns)
    words.complain(fmt::format("the matrix is {} x {}; it must be square", rows, columns));
  if (!whole && (rows != system.rows || columns != 1 || banner.mirrored))
    words.complain(fmt::format("the right-hand side is {} x {}; it must be {} x 1, general", rows,
                               columns, system.rows));
  std::uint64_t count = banner.mirrored ? rows * (rows - 1) / 2 : rows * columns;
  if (banner.coordinate) count = words.number("the number of entries", 0, rows * columns);
  words.expect_words(banner.coordinate ? 3 * count : count);
  // A few bytes may speak of gigabytes.
  if (whole && banner.coordinate && count * (banner.mirrored ? 2 : 1) < rows)
    words.complain(fmt::format("the matrix is singular: {} entries for {} rows", count, rows));
  if (whole) system = System(rows);
  Target target(system, whole ? 0 : rows, columns, banner);
  if (banner.coordinate)
    target.read_coordinates(words, count);
  else
    target.read_array(words);
  words.expect_end();
}

constexpr std::string_view market = "%%MatrixMarket";

void read_right_hand_side(const std::string& file, System& system) {
  Words words(file);
  if (const auto line = words.line_that_begins(market)) return read_market(words, *line, system);
  for (std::size_t row = 0; row < system.rows; ++row)
    system.set(row, system.rows, words.integer("an entry"));
  words.expect_end();
}

}  // namespace

System read_system(const std::string& file, const std::string& right_hand_side) {
  Words words(file);
  System system;
  if (const auto line = words.line_that_begins(market)) {
    if (right_hand_side.empty())
      throw BadInput(fmt::format("{}: a MatrixMarket file needs --rhs FILE as well", file));
    read_market(words, *line, system);
    read_right_hand_side(right_hand_side, system);
    return system;
  }
  if (!right_hand_side.empty())
    throw BadInput(fmt::format("{}: only a MatrixMarket file takes --rhs", file));
  const auto rows = words.number("the number of rows", 1, System::most_rows);
  words.expect_words(rows * (rows + 1));
  system = System(rows);
  for (std::size_t row = 0; row < rows; ++row)
    for (std::size_t column = 0; column <= rows; ++column)
      system.set(row, column, words.integer("an entry"));
  words.expect_end();
  return system;
}

}  // namespace lin_solv
