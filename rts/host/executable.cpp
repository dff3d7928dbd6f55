#include "rts/host/executable.hpp"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <limits>
#include <span>
#include <system_error>

#include <elf.h>
#include <link.h>

namespace trawl {
namespace {

std::string hexadecimal(std::span<const unsigned char> bytes) {
  constexpr const char* digits = "0123456789abcdef";
  std::string text;
  for (const auto byte : bytes) {
    text += digits[byte >> 4U];
    text += digits[byte & 15U];
  }
  return text;
}

constexpr std::size_t padded(std::size_t size) noexcept {
  return (size + 3) & ~std::size_t{3};
}

/// Of a segment of notes, which the linker has written.
std::string build_in(std::span<const unsigned char> notes) {
  ElfW(Nhdr) note;
  while (notes.size() >= sizeof note) {
    std::memcpy(&note, notes.data(), sizeof note);
    const auto name_size = padded(note.n_namesz);
    const auto size = sizeof note + name_size + padded(note.n_descsz);
    if (size > notes.size()) break;
    if (note.n_type == NT_GNU_BUILD_ID)
      return hexadecimal(notes.subspan(sizeof note + name_size, note.n_descsz));
    notes = notes.subspan(size);
  }
  return {};
}

// The program itself comes first.
int look_at(dl_phdr_info* info, std::size_t, void* executable) {
  auto& found = *static_cast<Executable*>(executable);
  found.base = info->dlpi_addr;
  for (const auto& segment : std::span(info->dlpi_phdr, info->dlpi_phnum)) {
    const auto* const begin =
        reinterpret_cast<const unsigned char*>(info->dlpi_addr + segment.p_vaddr);
    if (segment.p_type == PT_LOAD)
      found.size = std::max<std::uintptr_t>(found.size, segment.p_vaddr + segment.p_memsz);
    if (segment.p_type == PT_NOTE && found.build.empty())
      found.build = build_in({begin, segment.p_memsz});
  }
  return 1;
}

Executable find() {
  Executable found;
  std::error_code failure;
  found.path = std::filesystem::read_symlink("/proc/self/exe", failure).string();
  dl_iterate_phdr(look_at, &found);
  return found;
}

}  // namespace

std::optional<std::uint32_t> Executable::place_of(std::uintptr_t address) const noexcept {
  const auto place = address - base;
  if (address < base || place >= size || place > std::numeric_limits<std::uint32_t>::max())
    return std::nullopt;
  return static_cast<std::uint32_t>(place);
}

// Never destroyed: exit() in the root ends a run when static objects may have gone.
const Executable& executable() {
  static const auto& found = *new Executable(find());
  return found;
}

}  // namespace trawl
