// What a skeleton's value is where an element's function has thrown.
#pragma once

#include <cstddef>
#include <new>
#include <stdexcept>
#include <string>
#include <string_view>

namespace trawl {

/// An exception in a skeleton: `what()` names the skeleton, the shard, the element's index in it,
/// and what was thrown.
class ElementError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
  /// A copy.
  ElementError(const ElementError&) = default;
  /// A copy.
  ElementError& operator=(const ElementError&) = default;
  ~ElementError() override;  // not in each program that includes this, with all it needs to travel
};

namespace detail {

/// A function's name, as the compiler writes it.
template <auto F>
constexpr std::string_view function_name() {
  constexpr std::string_view whole = __PRETTY_FUNCTION__;
  constexpr std::string_view before = "F = ";
  auto name = whole.substr(whole.find(before) + before.size());
  name = name.substr(0, name.find(';'));
  return name.substr(0, name.rfind(']'));
}

/// For the exception that is being handled: `where` is in which element, or shard.
[[noreturn, gnu::cold]] void throw_from(const std::string& where);

[[noreturn, gnu::cold]] void throw_of_shard(std::string_view skeleton, std::string_view function,
                                            std::size_t shard);

/// What the program's function throws for a shard as a whole names it.
template <class Make>
auto by_function(std::string_view skeleton, std::string_view function, std::size_t shard,
                 Make make) {
  try {
    return make();
  } catch (...) {
    throw_of_shard(skeleton, function, shard);
  }
}

/// What it throws where values become one: `what()` says of what.
template <auto Combine, class Make, class What>
auto in_combining(std::string_view skeleton, Make make, What what) {
  try {
    return make();
  } catch (...) {
    throw_from(std::string(skeleton) + "<" + std::string(function_name<Combine>()) +
               ">: combining " + what());
  }
}

/// Of several shards.
template <auto Combine, class Make>
auto in_combining(std::string_view skeleton, Make make) {
  return in_combining<Combine>(skeleton, make, [] { return std::string("shards"); });
}

/// Of an element and those before it in its shard.
template <auto Combine, class Make>
auto in_combining(std::string_view skeleton, std::size_t shard, std::size_t i, Make make) {
  return in_combining<Combine>(skeleton, make, [shard, i] {
    return "element " + std::to_string(i) + " of shard " + std::to_string(shard);
  });
}

/// Makes a shard: where memory runs out, outside of a function too, it is said which and on what
/// PE.
template <class Make>
auto in_shard(std::string_view skeleton, std::string_view function, std::size_t shard, Make make) {
  try {
    return make();
  } catch (const std::bad_alloc&) {
    throw_of_shard(skeleton, function, shard);
  }
}

/// Calls `visit(i)` for elements of a shard, those from `i` up to `end`.
template <auto F, class Visit>
void each_element(std::string_view skeleton, std::size_t shard, std::size_t i, std::size_t end,
                  Visit visit) {
  try {
    for (; i < end; ++i) visit(i);
  } catch (...) {
    throw_from(std::string(skeleton) + "<" + std::string(function_name<F>()) + ">: element " +
               std::to_string(i) + " of shard " + std::to_string(shard));
  }
}
template <auto F, class Visit>
void each_element(std::string_view skeleton, std::size_t shard, std::size_t count, Visit visit) {
  each_element<F>(skeleton, shard, 0, count, visit);
}

}  // namespace detail
}  // namespace trawl
