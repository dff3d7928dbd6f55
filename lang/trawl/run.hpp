// The way into a Trawl program.
#pragma once

#include <string>
#include <type_traits>
#include <vector>

#include <trawl/inline/run.hpp>

namespace trawl {

/// `int main(int argc, char** argv) { return trawl::run<root>(argc, argv); }` — started under
/// `mpiexec -n N` on N PEs, otherwise on one. `Root` runs on the main PE only; it takes the
/// arguments without the runtime's flags (`int root(int, char**)`, `int
/// root(std::vector<std::string>)` or `int root()`) and returns the exit code of the whole, which
/// `run` returns. It returns on the main PE only: the others end with the run.
/// Everywhere else, functions that are lazy or spawned run when there is something to do.
template <auto Root>
int run(int argc, char** argv) {
  return run_program(argc, argv, [](int count, char** arguments) -> int {
    using F = std::remove_cv_t<decltype(Root)>;
    if constexpr (std::is_invocable_r_v<int, F, int, char**>) {
      return Root(count, arguments);
    } else if constexpr (std::is_invocable_r_v<int, F, std::vector<std::string>>) {
      return Root(std::vector<std::string>(arguments, arguments + count));
    } else {
      static_assert(
          std::is_invocable_r_v<int, F>,
          "trawl: the root takes (int, char**), (std::vector<std::string>) or nothing, and "
          "returns the exit code.");
      if constexpr (std::is_invocable_r_v<int, F>) return Root();
      return 1;
    }
  });
}

/// Refused, with what to write instead.
template <class F>
int run(F&&, int, char**) {
  static_assert(std::is_void_v<F>, "trawl: write run<root>(argc, argv) instead of run(root, ...).");
  return 1;
}

}  // namespace trawl
