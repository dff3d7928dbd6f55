// Memory for stacks, each with a guard below.
#pragma once

#include <cstddef>
#include <span>

namespace trawl::sched {

/// Below each stack. Larger than the frames of code that is not compiled to touch each of its
/// pages, as programs are; as no page of it is ever there, it costs address space only.
inline constexpr std::size_t stack_guard = std::size_t{1} << 20U;

/// For a stack of at least `bytes`, the guard included; empty if there is no memory.
std::span<std::byte> take_stack(std::size_t bytes) noexcept;
/// It is no longer needed. Some are kept, with the pages that they have, for who takes one next.
void give_stack(std::span<std::byte> stack) noexcept;

}  // namespace trawl::sched
