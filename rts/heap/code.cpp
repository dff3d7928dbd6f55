#include "rts/heap/code.hpp"

#include <algorithm>

#include "rts/heap/failure.hpp"
#include "rts/inline/error.hpp"

namespace trawl::heap {
namespace {

// Codes enter themselves during static initialisation, in an order that only depends on the binary.
std::vector<const Code*>& entered() {
  static std::vector<const Code*> codes;
  return codes;
}

std::uint64_t mix(std::uint64_t hash, std::string_view text) {
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
  return (hash ^ 0xffU) * 0x100000001b3U;
}

/// Of what follows "Template<".
std::string_view first_argument(std::string_view arguments) {
  std::size_t end = 0;
  for (int depth = 0; end < arguments.size(); ++end) {
    const char c = arguments[end];
    if (depth == 0 && (c == ',' || c == '>')) break;
    if (c == '<' || c == '(') ++depth;
    if (c == '>' || c == ')') --depth;
  }
  while (end > 0 && arguments[end - 1] == ' ') --end;  // as in "f<g<h> >"
  return arguments.substr(0, end);
}

}  // namespace

Code::Code(std::string_view its_name, const void* its_result_type, std::size_t its_bytes)
    : name(its_name), result_type(its_result_type), bytes(its_bytes) {
  entered().push_back(this);
}

// The names are those the compiler spells in __PRETTY_FUNCTION__:
// "... [with Call = trawl::Function<fib>; R = long int; A = {long int}; ...]".
std::string short_name(const Code& code) {
  const auto between = [&code](std::string_view from, std::string_view to) -> std::string_view {
    const auto begin = code.name.find(from);
    if (begin == std::string_view::npos) return {};
    const auto rest = code.name.substr(begin + from.size());
    return rest.substr(0, rest.find(to));
  };
  auto function = between("Call = ", "; R = ");
  if (function.empty()) return "a value of type " + std::string(between("R = ", ";"));
  for (const std::string_view around : {"OneReader<", "Placed<", "PlacedStep<", "Lifted<"})
    if (const auto open = function.find(around); open != std::string_view::npos)
      function = first_argument(function.substr(open + around.size()));
  if (const auto open = function.find("Function<"); open != std::string_view::npos) {
    function.remove_prefix(open + std::string_view("Function<").size());
    function.remove_suffix(1);
  }
  return std::string(function) + "(" + std::string(between("A = {", "};")) + ")";
}

CodeTable::CodeTable() : by_id_(entered()), digest_(0xcbf29ce484222325U) {
  // Two functions of one name (static ones of two files) keep the binary's order.
  std::stable_sort(by_id_.begin(), by_id_.end(),
                   [](const Code* a, const Code* b) { return a->name < b->name; });
  for (std::size_t i = 0; i < by_id_.size(); ++i) {
    by_id_[i]->id = static_cast<std::uint32_t>(i);
    digest_ = mix(digest_, by_id_[i]->name);
  }
  for (const auto name : exceptions_that_travel()) digest_ = mix(digest_, name);
}

const CodeTable& CodeTable::get() {
  static const CodeTable table;
  return table;
}

const Code& CodeTable::at(std::uint32_t id) const {
  if (id >= by_id_.size()) throw BadBytes("it names a function that this program does not have");
  return *by_id_[id];
}

}  // namespace trawl::heap
