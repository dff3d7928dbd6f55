// A JSON file whose reader says exactly what is wrong with it, and where.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "rts/inline/bytes.hpp"

namespace trawl::fabric {

using Json = nlohmann::json;

/// `file` is what errors call it. Throws Error (exit code 2), also of a member that is given twice.
Json parse_checked(std::string_view text, const std::string& file);

/// What the file says somewhere, with the way there. All that reads throws Error (exit code 2) with
/// the file, the way and what would be right.
class Entry {
 public:
  /// Both have to outlive it.
  Entry(const Json& value, const std::string& file, std::string path)
      : value_(value), file_(file), path_(std::move(path)) {}

  [[noreturn]] void refuse(const std::string& why) const;

  /// It is an object with no other members than these.
  void check_members(std::initializer_list<std::string_view> known) const;
  bool has(const char* name) const { return value_.contains(name); }
  Entry at(const char* name) const;
  std::vector<Entry> elements() const;

  std::string text() const;
  bool yes_or_no() const;
  double number(double least, double most) const;
  int whole(int least, int most) const;
  Nanos time() const;   ///< as in "100 ms"
  Nanos turn() const;   ///< after which something changes, again and again
  double rate() const;  ///< as in "100 KB/s", in GB/s

 private:
  const Json& value_;
  const std::string& file_;
  std::string path_;
};

}  // namespace trawl::fabric
