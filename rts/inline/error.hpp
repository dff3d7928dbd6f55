// What goes wrong in the runtime, as exceptions.
#pragma once

#include <cstdlib>
#include <cstring>
#include <exception>
#include <string_view>
#include <utility>

namespace trawl {

/// An exception's text, in malloc's memory: exceptions are thrown where operator new gives memory
/// of the collector (heap/collect.hpp, StorageScope), which does not look into exceptions.
class Explanation : public std::exception {
 public:
  explicit Explanation(std::string_view text) : text_(strndup(text.data(), text.size())) {}
  Explanation(const Explanation& other) noexcept
      : std::exception(other), text_(strdup(other.what())) {}
  Explanation& operator=(const Explanation& other) noexcept {
    Explanation copy(other);
    std::swap(text_, copy.text_);
    return *this;
  }
  ~Explanation() override { std::free(text_); }

  const char* what() const noexcept override { return text_ != nullptr ? text_ : "no memory"; }

 private:
  char* text_;
};

/// The user's mistake or the machine's: one line naming the cause and the cure. `run` prints it and
/// exits with `exit_code`.
class Error : public Explanation {
 public:
  /// `what` is one line.
  explicit Error(std::string_view what, int exit_code = 1)
      : Explanation(what), exit_code_(exit_code) {}

  /// What the process exits with.
  int exit_code() const noexcept { return exit_code_; }

 private:
  int exit_code_;
};

/// The exit code of a run that ends as what dead PEs had can't be made again: begun once more it
/// may go well (sysexits' EX_TEMPFAIL).
inline constexpr int lost_with_a_pe = 75;

/// Bytes from another PE (or from a file) that are not what they should be.
class BadBytes : public Explanation {
 public:
  using Explanation::Explanation;
};

}  // namespace trawl
