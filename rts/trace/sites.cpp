#include "rts/trace/sites.hpp"

#include <map>
#include <mutex>
#include <new>

#include <unwind.h>

#include "rts/host/executable.hpp"

namespace trawl::trace {
namespace {

/// What called whom, the innermost first, from the caller on; so far as it is code of the program's
/// own file, to which the runtime belongs.
struct Stack {
  std::array<std::uint32_t, 16> places{};
  std::size_t size = 0;
};

struct Search {
  Stack& stack;
  const void* caller;
  bool found;
};

_Unwind_Reason_Code add(_Unwind_Context* context, void* search) {
  auto& [stack, caller, found] = *static_cast<Search*>(search);
  const auto address = _Unwind_GetIP(context);
  found = found || address == reinterpret_cast<std::uintptr_t>(caller);
  constexpr std::uintptr_t inside = 1;  // of the call that will return there
  const auto place = executable().place_of(address - inside);
  if (found && place) stack.places[stack.size++] = *place;
  return stack.size == stack.places.size() ? _URC_END_OF_STACK : _URC_NO_REASON;
}

/// All PEs of a simulated run share what one has found: to look takes 20 us. Not destroyed: a root
/// may have called exit(), while others go on.
const Stack& stack_of(std::uint32_t code, const void* caller) {
  static std::mutex lock;
  static auto& stacks = *new std::map<std::pair<std::uint32_t, const void*>, Stack>();
  const std::lock_guard guard(lock);
  const auto [found, is_new] = stacks.try_emplace({code, caller});
  Search search{found->second, caller, caller == nullptr};
  if (is_new) _Unwind_Backtrace(add, &search);
  return found->second;
}

}  // namespace

std::uint16_t Sites::see(std::uint32_t code, const void* caller) noexcept try {
  constexpr std::uintptr_t factor = 0x9E37'79B9'7F4A'7C15;
  auto at = (reinterpret_cast<std::uintptr_t>(caller) ^ code) * factor >> 56U;
  while (sites_[at].number != 0) {
    if (sites_[at].caller == caller && sites_[at].code == code) return sites_[at].number;
    at = (at + 1) % sites_.size();
  }
  if (count_ >= sites_.size() * 3 / 4) return 0;
  const Stack& stack = stack_of(code, caller);
  tell_(code, std::span(stack.places).first(stack.size));
  sites_[at] = {caller, code, ++count_};
  return count_;
} catch (const std::bad_alloc&) {
  return 0;
}

}  // namespace trawl::trace
