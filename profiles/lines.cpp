#include "profiles/lines.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <span>
#include <string_view>
#include <system_error>

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>
#include <fmt/format.h>

namespace trawl::profile {
namespace {

namespace fs = std::filesystem;

struct FreeScopes {
  void operator()(Dwarf_Die* scopes) const noexcept { std::free(scopes); }
};
using Scopes = std::unique_ptr<Dwarf_Die, FreeScopes>;

std::string build_of(Dwfl_Module* module) {
  const unsigned char* bytes = nullptr;
  GElf_Addr ignored = 0;
  const int size = dwfl_module_build_id(module, &bytes, &ignored);
  std::string build;
  for (int i = 0; i < size; ++i) build += fmt::format("{:02x}", bytes[i]);
  return build;
}

/// Where the call was made of what has been compiled into its caller.
Line call_of(Dwarf_Die* unit, Dwarf_Die* inlined) {
  const auto number = [&](unsigned what) {
    Dwarf_Attribute attribute;
    Dwarf_Word value = 0;
    dwarf_formudata(dwarf_attr(inlined, what, &attribute), &value);
    return value;
  };
  Dwarf_Files* files = nullptr;
  std::size_t count = 0;
  if (dwarf_getsrcfiles(unit, &files, &count) != 0) return {};
  const char* name = dwarf_filesrc(files, number(DW_AT_call_file), nullptr, nullptr);
  return {name != nullptr ? name : "", static_cast<int>(number(DW_AT_call_line))};
}

Line line_at(Dwarf_Die* unit, Dwarf_Addr address) {
  Dwarf_Line* const found = dwarf_getsrc_die(unit, address);
  const char* name = found != nullptr ? dwarf_linesrc(found, nullptr, nullptr) : nullptr;
  int number = 0;
  if (name == nullptr || dwarf_lineno(found, &number) != 0) return {};
  return {name, number};
}

/// Is it of a program, and not of Trawl or of the standard library?
bool of_a_program(const Line& line) {
  static constexpr std::array<std::string_view, 10> others{
      "/lang/trawl/", "/include/trawl/", "/rts/inline/",     "/rts/sched/",  "/rts/heap/",
      "/rts/recover", "/rts/run.cpp",    "/rts/program.cpp", "/rts/simulat", "/include/c++/"};
  const auto path = fs::path(line.file).lexically_normal().string();
  return line.number > 0 && !path.empty() &&
         std::none_of(others.begin(), others.end(), [&path](std::string_view other) {
           return path.find(other) != std::string::npos;
         });
}

/// libdw would ask servers for what the file itself does not say.
int no_other_file(Dwfl_Module*, void**, const char*, Dwarf_Addr, const char*, const char*,
                  GElf_Word, char**) {
  return -1;
}

}  // namespace

struct Lines::File {
  Dwfl_Callbacks callbacks{nullptr, no_other_file, dwfl_offline_section_address, nullptr};
  Dwfl* session = nullptr;
  Dwfl_Module* module = nullptr;
  Dwarf_Addr base = 0;
};

Lines::Lines(const std::string& path, const std::string& build) : file_(std::make_unique<File>()) {
  std::error_code ignored;
  if (build.empty() || !fs::is_regular_file(path, ignored)) return;
  file_->session = dwfl_begin(&file_->callbacks);
  if (file_->session == nullptr) return;
  auto* const module = dwfl_report_offline(file_->session, "", path.c_str(), -1);
  dwfl_report_end(file_->session, nullptr, nullptr);
  if (module == nullptr) return;
  GElf_Addr bias = 0;
  if (dwfl_module_getelf(module, &bias) == nullptr || build_of(module) != build) return;
  file_->module = module;
  file_->base = bias;
}

Lines::~Lines() {
  if (file_->session != nullptr) dwfl_end(file_->session);
}

std::vector<Line> Lines::at(std::uint32_t place) const {
  std::vector<Line> lines;
  if (file_->module == nullptr) return lines;
  Dwarf_Addr bias = 0;
  Dwarf_Die* const unit = dwfl_module_addrdie(file_->module, file_->base + place, &bias);
  if (unit == nullptr) return lines;
  const auto address = file_->base + place - bias;
  lines.push_back(line_at(unit, address));
  Dwarf_Die* found = nullptr;
  if (dwarf_getscopes(unit, address, &found) <= 0) return lines;
  const Scopes innermost(found);
  // Those around it by where the code is: dwarf_getscopes goes on by where it was written.
  const int count = dwarf_getscopes_die(found, &found);
  if (count <= 0) return lines;
  const Scopes around(found);
  for (auto& scope : std::span(found, static_cast<std::size_t>(count)))
    if (dwarf_tag(&scope) == DW_TAG_inlined_subroutine) lines.push_back(call_of(unit, &scope));
  return lines;
}

Line Lines::of_program(std::span<const std::uint32_t> stack) const {
  for (const auto place : stack)
    for (auto& line : at(place))
      if (of_a_program(line)) return {fs::path(line.file).lexically_normal().string(), line.number};
  return {};
}

std::string to_string(const Line& line) {
  return fmt::format("{}:{}", fs::path(line.file).filename().string(), line.number);
}

}  // namespace trawl::profile
