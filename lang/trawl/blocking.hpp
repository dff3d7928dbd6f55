// Calls that wait for the world outside: files, sockets, locks, other programs.
#pragma once

#include <exception>
#include <optional>
#include <type_traits>
#include <utility>

#include <trawl/inline/demand.hpp>

namespace trawl {

/// What `f()` gives, or throws, made on an OS thread of its own: for what may wait for something
/// that is no Lazy, while workers have something better to do. `f` may refer to what is around it;
/// it can't force, sync or spark. At most 64 of a PE at a time; others wait for their turn. Throws
/// Error where it is called outside of a run, and where the host has no thread for it.
template <class F>
auto blocking(F&& f) -> std::invoke_result_t<F&> {
  using R = std::invoke_result_t<F&>;
  static_assert(!std::is_reference_v<R>,
                "trawl: what blocking gives is a value: return a copy, not a reference.");
  struct Call {
    F& function;
    std::exception_ptr error{};
    std::optional<std::conditional_t<std::is_void_v<R>, char, std::decay_t<R>>> result{};

    static void make(void* self) {
      auto& call = *static_cast<Call*>(self);
      try {
        if constexpr (std::is_void_v<R>)
          call.function();
        else
          call.result.emplace(call.function());
      } catch (...) {
        call.error = std::current_exception();
      }
    }
  };
  Call call{f};
  sched::call_aside(&Call::make, &call);
  if (call.error) std::rethrow_exception(call.error);
  if constexpr (!std::is_void_v<R>) return *std::move(call.result);
}

}  // namespace trawl
