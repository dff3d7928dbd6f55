// lin_solv FILE: the exact solution of a linear system over the integers.
#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <fstream>
#include <map>
#include <span>
#include <stdexcept>

#include <trawl/trawl.hpp>

#include "programs/common/command.hpp"
#include "programs/common/progress.hpp"
#include "programs/lin_solv/remainder.hpp"
#include "programs/lin_solv/residues.hpp"
#include "programs/lin_solv/solution.hpp"

namespace lin_solv {
namespace {

using programs::BadInput;

/// The system modulo `count` of our primes.
std::vector<Residues> solve_some(const System& system, Instructions instructions,
                                 std::uint64_t first, std::uint64_t count) {
  std::vector<Residues> results;
  for (std::uint64_t index = first; index < first + count; ++index)
    results.push_back(solve_modulo(prime_number(index), system, instructions));
  return results;
}

/// An integer that may travel.
struct Integer {
  mpz_class value;

  template <class Archive>
  std::string save_minimal(const Archive&) const {
    return value.get_str(16);
  }
  template <class Archive>
  void load_minimal(const Archive&, const std::string& digits) {
    if (value.set_str(digits, 16) != 0) throw std::invalid_argument("no integer: " + digits);
  }
};

/// What all unknowns have in common.
struct Common {
  Moduli moduli;
  Integer determinant;
};

/// Some unknowns; `residues` are those of det(A) x, all of one unknown after all of another.
Solution rebuild_some(const Common& common, const std::vector<Word>& residues) {
  const Remaindering remaindering(common.moduli);
  const std::size_t primes = common.moduli.primes.size();
  std::vector<mpz_class> numerators;
  for (std::size_t at = 0; at < residues.size(); at += primes)
    numerators.push_back(remaindering.integer(std::span(residues).subspan(at, primes)));
  return fractions(numerators, common.determinant.value);
}

/// Primes at which det(A) is not 0, until their product is more than twice what det(A) and
/// det(A) x can be (by Cramer's rule they are determinants of columns of [A | b]).
/// `solve(first, count)` solves modulo these primes.
template <class Solve>
std::vector<Residues> enough_residues(const System& system, Solve solve) {
  const double needed = bound_bits(system) + 1;
  std::vector<Residues> lucky;
  std::uint64_t tried = 0;
  for (;;) {
    const double missing = needed - prime_bits * static_cast<double>(lucky.size());
    if (missing <= 0) return lucky;
    const auto count = static_cast<std::uint64_t>(std::ceil(missing / prime_bits));
    for (Residues& residues : solve(tried, count))
      if (residues.determinant != 0) lucky.push_back(std::move(residues));
    tried += count;
    // The determinant is a multiple of more primes than it has room for.
    if (lucky.empty()) throw BadInput("the matrix is singular (its determinant is 0)");
  }
}

Common in_common(const std::vector<Residues>& all) {
  std::vector<Word> primes, determinants;
  for (const Residues& residues : all) {
    primes.push_back(residues.prime);
    determinants.push_back(residues.determinant);
  }
  Moduli of_all = moduli(std::move(primes));
  return {of_all, {Remaindering(of_all).integer(determinants)}};
}

/// The numerators' residues of these unknowns, for rebuild_some.
std::vector<Word> slice(const std::vector<Residues>& all, std::size_t from, std::size_t to) {
  std::vector<Word> residues;
  residues.reserve((to - from) * all.size());
  for (std::size_t unknown = from; unknown < to; ++unknown)
    for (const Residues& one : all) residues.push_back(one.numerators[unknown]);
  return residues;
}

Solution solve_sequential(const System& system, Instructions instructions) {
  const auto all = enough_residues(system, [&](std::uint64_t first, std::uint64_t count) {
    return solve_some(system, instructions, first, count);
  });
  return rebuild_some(in_common(all), slice(all, 0, system.rows));
}

// ---- in parallel -------------------------------------------------------------------------------

std::vector<Residues> solve_shared(trawl::Lazy<System> system, Instructions instructions,
                                   std::uint64_t first, std::uint64_t count) {
  return solve_some(trawl::force(system), instructions, first, count);
}

Solution rebuild_shared(trawl::Lazy<Common> common, const std::vector<Word>& residues) {
  return rebuild_some(trawl::force(common), residues);
}

/// The values of a list of lists, one after the other; each list is a spark.
template <class T>
std::vector<T> in_parallel(const std::vector<trawl::Lazy<std::vector<T>>>& parts,
                           const std::string& label) {
  programs::Progress progress(label, parts.size());
  std::vector<T> values;
  trawl::apply(parts, trawl::par_list(trawl::rseq));
  for (const auto& part : parts) {
    for (const T& value : trawl::force(part)) values.push_back(value);
    progress.advance_in(parts);
  }
  return values;
}

/// Both steps in parallel: the primes, then the unknowns.
Solution solve(const System& system, Instructions instructions) {
  const trawl::Lazy<System> shared(system);  // every PE that takes a spark fetches it once
  // Sparks get smaller: the first ones, which other PEs take, save messages; the last ones, if the
  // system isn't small, are of one prime and even out who finishes when.
  const std::uint64_t least = 1 + 5'000'000 / (system.rows * system.rows * (system.rows / 3 + 100));
  constexpr std::uint64_t share = 64;
  const auto all = enough_residues(system, [&](std::uint64_t first, std::uint64_t count) {
    std::vector<trawl::Lazy<std::vector<Residues>>> parts;
    for (const auto end = first + count; first < end;) {
      const std::uint64_t some = std::min(end - first, std::max(least, (end - first) / share));
      parts.push_back(trawl::lazy<solve_shared>(shared, instructions, first, some));
      first += some;
    }
    return in_parallel(parts, "primes");
  });
  const trawl::Lazy<Common> common(in_common(all));
  constexpr std::size_t unknowns = 16;
  std::vector<trawl::Lazy<Solution>> parts;
  for (std::size_t from = 0; from < system.rows; from += unknowns)
    parts.push_back(trawl::lazy<rebuild_shared>(
        common, slice(all, from, std::min<std::size_t>(from + unknowns, system.rows))));
  return in_parallel(parts, "unknowns");
}

// ------------------------------------------------------------------------------------------------

struct Arguments {
  std::string file, right_hand_side, output;
  std::uint64_t random = 0, bits = 32, seed = 1;
  Instructions instructions = Instructions::best;
};

System system_of(const Arguments& arguments) {
  if (!available(arguments.instructions))
    throw BadInput("this processor doesn't have these instructions");
  if (arguments.random != 0) return random_system(arguments.random, arguments.bits, arguments.seed);
  if (arguments.file.empty()) throw BadInput("a FILE or --random N is needed (see --help)");
  return read_system(arguments.file, arguments.right_hand_side);
}

void add_options(programs::Command& command, Arguments& arguments) {
  const auto file = command.add_text(
      "FILE", arguments.file, "plain text (N, then N rows of N + 1 integers) or MatrixMarket");
  command
      .add_text("--rhs", arguments.right_hand_side,
                "right-hand side of a MatrixMarket system: such a file, or N integers")
      .needs(file);
  const auto random = command
                          .add_number("--random", arguments.random, "a random system of N rows",
                                      std::uint64_t{1}, std::uint64_t{System::most_rows})
                          .excludes(file);
  command
      .add("--bits", arguments.bits, "size of its entries, besides their sign", std::uint64_t{1},
           std::uint64_t{30000})
      .needs(random);
  command
      .add("--seed", arguments.seed, "another one for every number", std::uint64_t{0},
           ~std::uint64_t{0})
      .needs(random);
  command.add_text("--output", arguments.output, "write the solution into this file");
  command.add_choice<Instructions>("--instructions", arguments.instructions,
                                   "those that are used, if not the best that there are",
                                   {{"best", Instructions::best},
                                    {"portable", Instructions::portable},
                                    {"avx2", Instructions::avx2},
                                    {"avx512", Instructions::avx512}});
}

int root(int argc, char** argv) {
  Arguments arguments;
  System system;
  programs::Command command("lin_solv", "The exact solution of a linear system over the integers.");
  add_options(command, arguments);
  command.before([&] {
    if (!arguments.output.empty()) programs::check_writable(arguments.output);
    system = system_of(arguments);
  });
  return command.run(
      argc, argv, [&] { return solve(system, arguments.instructions); },
      [&] { return solve_sequential(system, arguments.instructions); },
      [&](const Solution& solution) { return fault_of(system, solution); },
      [&](const Solution& solution) {
        std::ofstream file;
        if (!arguments.output.empty()) file.open(arguments.output);
        std::ostream& out = arguments.output.empty() ? std::cout : file;
        for (const auto& value : solution) out << value << '\n';
        // What goes to standard output the runtime looks after.
        if (!out.flush() && !arguments.output.empty())
          throw BadInput(
              fmt::format("{}: can't be written: {}", arguments.output, std::strerror(errno)));
      });
}

}  // namespace
}  // namespace lin_solv

int main(int argc, char** argv) {
  return trawl::run<lin_solv::root>(argc, argv);
}
