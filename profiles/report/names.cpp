#include "profiles/report/names.hpp"

#include <algorithm>
#include <cstddef>
#include <map>

namespace trawl::profile {
namespace {

/// Behind what closes the bracket at `open`, or the end.
std::size_t behind(const std::string& name, std::size_t open) {
  int depth = 0;
  for (auto at = open; at < name.size(); ++at) {
    const char c = name[at];
    depth += (c == '<' || c == '(') - (c == '>' || c == ')');
    if (depth == 0) return at + 1;
  }
  return name.size();
}

bool opens(const std::string& name, std::size_t at) {
  return name[at] == '<' || name[at] == '(';
}

/// Behind a function's parameters where something lies in it, as in `root()::<lambda(int)>`; else
/// the end.
std::size_t what_is_in_it(const std::string& name, std::size_t parameters) {
  const auto after = behind(name, parameters);
  for (const std::string inside : {"::", " const::"})
    if (name.compare(after, inside.size(), inside) == 0) return after + inside.size() - 2;
  return name.size();
}

std::string plain_name(const std::string& name, int depth);

/// The arguments between brackets, templates among them with theirs to such a depth.
std::vector<std::string> arguments(const std::string& name, std::size_t open, int depth) {
  std::vector<std::string> all;
  const auto end = behind(name, open) - 1;
  for (auto begin = open + 1; begin < end;) {
    auto at = begin;
    while (at < end && name[at] != ',') at = opens(name, at) ? behind(name, at) : at + 1;
    const auto first = std::min(at, name.find_first_not_of(' ', begin));
    all.push_back(plain_name(name.substr(first, at - first), depth));
    begin = at + 1;
  }
  return all;
}

std::string listed(const std::vector<std::string>& all) {
  std::string list;
  for (const auto& each : all) list += (list.empty() ? "<" : ", ") + each;
  return list.empty() ? list : list + ">";
}

/// Without parameters; with arguments of templates to such a depth, 0: without any.
std::string plain_name(const std::string& name, int depth) {
  static const std::string lambda = "<lambda";
  std::string plain;
  for (std::size_t at = 0; at < name.size();) {
    if (name[at] == '(' && !plain.empty()) {
      at = what_is_in_it(name, at);
    } else if (name[at] == '<') {
      if (name.compare(at, lambda.size(), lambda) == 0)
        plain += "lambda";
      else if (depth > 0)
        plain += listed(arguments(name, at, depth - 1));
      at = behind(name, at);
    } else {
      plain += name[at++];
    }
  }
  while (!plain.empty() && plain.back() == ' ') plain.pop_back();
  return plain;
}

std::string without_unnamed(std::string name) {
  for (const std::string unnamed : {"{anonymous}::", "(anonymous namespace)::"})
    for (auto at = name.find(unnamed); at != std::string::npos; at = name.find(unnamed, at))
      name.erase(at, unnamed.size());
  return name;
}

constexpr int deepest = 4;

/// With arguments to such a depth; beyond, as it is.
std::string name_to(const std::string& function, int depth) {
  static const std::string inside = "trawl::detail::";
  const auto name = without_unnamed(function);
  auto plain = depth > deepest ? name : plain_name(name, depth);
  if (plain.empty()) return function;
  if (!plain.starts_with(inside)) return plain;
  plain.erase(0, inside.size());
  // What skeletons are made of says little without the function that it was given.
  const auto open = name.find('<');
  if (depth > 0 || open == std::string::npos) return plain;
  auto given = arguments(name, open, 0);
  given.resize(std::min<std::size_t>(given.size(), 1));
  return plain + listed(given);
}

}  // namespace

std::string short_name(const std::string& function) {
  return name_to(function, 0);
}

void tell_apart(std::vector<FunctionAudit>& functions) {
  for (auto& each : functions) each.called = short_name(each.name);
  for (int depth = 1; depth <= deepest + 1; ++depth) {
    std::map<std::string, int> alike;
    for (const auto& each : functions) ++alike[each.called];
    for (auto& each : functions)
      if (alike[each.called] > 1) each.called = name_to(each.name, depth);
  }
}

}  // namespace trawl::profile
