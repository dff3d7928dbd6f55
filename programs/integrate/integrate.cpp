// integrate: the area under a function by adaptive quadrature, as in Satin: strips are halved until
// halving changes their area no more, and every halving is a spawn.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <string>
#include <vector>

#include <trawl/trawl.hpp>

#include "programs/common/command.hpp"
#include "programs/common/progress.hpp"

namespace {

// ---- what can be integrated, and the closed form -----------------------------------------------

double cubic(double x) {
  return (x * x + 1.0) * x;
}
double cubic_whole(double x) {
  return (x * x / 4 + 0.5) * x * x;
}

double sine(double x) {
  return std::sin(x);
}
double sine_whole(double x) {
  return -std::cos(x);
}

double chirp(double x) {
  return 2 * x * std::cos(x * x);
}
double chirp_whole(double x) {
  return std::sin(x * x);
}

double bell(double x) {
  return std::exp(-x * x);
}
double bell_whole(double x) {
  return std::sqrt(std::numbers::pi) / 2 * std::erf(x);
}

double peak(double x) {
  return 1 / (x * x + 1e-6);
}
double peak_whole(double x) {
  return 1e3 * std::atan(1e3 * x);
}

double root_of(double x) {
  return std::sqrt(std::abs(x));
}
double root_of_whole(double x) {
  return x * root_of(x) / 1.5;
}

// ---- adaptive quadrature -----------------------------------------------------------------------

double trapezium(double from, double to, double at_from, double at_to) {
  return (at_from + at_to) * (to - from) / 2;
}

/// A strip from one place to another, with the function's values there, in two; and whether that
/// was worth it.
template <double F(double)>
struct Halved {
  double middle;
  double at_middle;
  double area;
  bool will_do;  // no more than epsilon from the whole, or than rounding does to such numbers

  Halved(double from, double to, double at_from, double at_to, double epsilon)
      : middle(from + (to - from) / 2),
        at_middle(F(middle)),
        area(trapezium(from, middle, at_from, at_middle) +
             trapezium(middle, to, at_middle, at_to)) {
    const double change = std::abs(area - trapezium(from, to, at_from, at_to));
    constexpr double rounding = 4 * std::numeric_limits<double>::epsilon();
    will_do = change <= epsilon ||
              change <= rounding * (std::abs(at_from) + std::abs(at_to)) * (to - from);
  }
};

// One call a node: left alone, g++ would unroll the recursion into itself. Plain numbers as
// parameters, here and below, because they stay in registers, where a struct of four doesn't.
template <double F(double)>
[[gnu::noinline, gnu::noclone]] double area_sequential(double from, double to, double at_from,
                                                       double at_to, double epsilon) {
  const Halved<F> half(from, to, at_from, at_to, epsilon);
  if (half.will_do) return half.area;
  const double right = area_sequential<F>(half.middle, to, half.at_middle, at_to, epsilon);
  return area_sequential<F>(from, half.middle, at_from, half.at_middle, epsilon) + right;
}

/// In how many strips that is.
template <double F(double)>
long strips_in(double from, double to, double at_from, double at_to, double epsilon) {
  const Halved<F> half(from, to, at_from, at_to, epsilon);
  if (half.will_do) return 1;
  return strips_in<F>(from, half.middle, at_from, half.at_middle, epsilon) +
         strips_in<F>(half.middle, to, half.at_middle, at_to, epsilon);
}

/// What is to be done: so many strips of one width to begin with. They show how far the work has
/// come, and only what is narrower than half of one, or repeats itself in that, is overlooked.
struct Range {
  double from = 0;
  double to = 1000;
  double epsilon = 1e-9;

  static constexpr int strips = 64;

  double border(int i) const { return i == strips ? to : from + (to - from) * i / strips; }
  /// What `use` makes of the bounds of a strip, the function's values there, and epsilon.
  template <double F(double)>
  auto with_strip(int i, auto use) const {
    return use(border(i), border(i + 1), F(border(i)), F(border(i + 1)), epsilon);
  }
};

template <double F(double)>
double integral_sequential(const Range& range) {
  double sum = 0;
  for (int i = 0; i < Range::strips; ++i) sum += range.with_strip<F>(i, area_sequential<F>);
  return sum;
}

template <double F(double)>
long strips(const Range& range) {
  long count = 0;
  for (int i = 0; i < Range::strips; ++i) count += range.with_strip<F>(i, strips_in<F>);
  return count;
}

// ---- in parallel -------------------------------------------------------------------------------

template <double F(double)>
double area(double from, double to, double at_from, double at_to, double epsilon) {
  const Halved<F> half(from, to, at_from, at_to, epsilon);
  if (half.will_do) return half.area;
  auto right = trawl::spawn<area<F>>(half.middle, to, half.at_middle, at_to, epsilon);
  const double left = area<F>(from, half.middle, at_from, half.at_middle, epsilon);
  return left + right.sync();
}

template <double F(double)>
double integral(const Range& range) {
  std::vector<trawl::Lazy<double>> areas;
  areas.reserve(Range::strips);
  for (int i = 0; i < Range::strips; ++i)
    areas.push_back(
        range.with_strip<F>(i, [](auto... strip) { return trawl::lazy<area<F>>(strip...); }));
  trawl::apply(areas, trawl::par_list(trawl::rseq));

  programs::Progress progress("strips", areas.size());
  double sum = 0;
  for (const auto& area : areas) {
    sum += trawl::force(area);
    progress.advance_in(areas);
  }
  return sum;
}

// ------------------------------------------------------------------------------------------------

struct Integrand {
  std::string name;
  std::string formula;
  double (*whole)(double);
  double (*parallel)(const Range&);
  double (*sequential)(const Range&);
  long (*strips)(const Range&);
};

template <double F(double), double Whole(double)>
Integrand integrand(const char* name, const char* formula) {
  return {name, formula, Whole, integral<F>, integral_sequential<F>, strips<F>};
}

const std::vector<Integrand>& integrands() {
  static const std::vector<Integrand> all{
      integrand<cubic, cubic_whole>("cubic", "(x^2 + 1) x"),
      integrand<sine, sine_whole>("sine", "sin x"),
      integrand<chirp, chirp_whole>("chirp", "2 x cos x^2"),
      integrand<bell, bell_whole>("bell", "exp -x^2"),
      integrand<peak, peak_whole>("peak", "1 / (x^2 + 10^-6)"),
      integrand<root_of, root_of_whole>("root", "square root of |x|"),
  };
  return all;
}

const Integrand& integrand_named(const std::string& name) {
  const auto& all = integrands();
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const Integrand& one) { return one.name == name; });
  return found == all.end() ? all.front() : *found;
}

/// Against the closed form: each strip may be wrong by about epsilon, and all by some rounding.
std::string wrong(const Integrand& integrand, const Range& range, double result) {
  const double sequential = integrand.sequential(range);
  if (result != sequential)
    return fmt::format("the parallel result is {}, the sequential one {}", result, sequential);
  const double from = integrand.whole(range.from);
  const double to = integrand.whole(range.to);
  const auto strips = static_cast<double>(integrand.strips(range));
  const double allowed = 2 * strips * range.epsilon + 1e-9 * (std::abs(from) + std::abs(to));
  if (std::abs(result - (to - from)) <= allowed) return "";
  return fmt::format("the result is {}, the closed form {}; {} strips allow for {}", result,
                     to - from, strips, allowed);
}

int root(int argc, char** argv) {
  constexpr double far = 1e6;
  Range range;
  std::string name = integrands().front().name;
  programs::Command command("integrate",
                            "The area under a function from one place to another, in strips that "
                            "are halved until that changes an area by no more than epsilon.");
  command.add("--from", range.from, "where the range begins", -far, far);
  command.add("--to", range.to, "where it ends, not before", -far, far);
  command.add("--epsilon", range.epsilon, "for one strip", 1e-15, 1e6);
  std::vector<std::string> names;
  std::string formulas;
  for (const Integrand& one : integrands()) {
    names.push_back(one.name);
    formulas += fmt::format("{}{}: {}", formulas.empty() ? "" : "; ", one.name, one.formula);
  }
  command.add_text("--function", name, formulas).among(names).with_default();

  const auto checked = [&range]() -> const Range& {
    if (range.from > range.to) throw programs::BadInput("--from can't be greater than --to");
    return range;
  };
  const auto one = [&name]() -> const Integrand& { return integrand_named(name); };
  return command.run(
      argc, argv, [&] { return one().parallel(checked()); },
      [&] { return one().sequential(checked()); },
      [&](double result) { return wrong(one(), range, result); },
      [](double result) { std::cout << fmt::format("{}\n", result); });
}

}  // namespace

int main(int argc, char** argv) {
  return trawl::run<root>(argc, argv);
}
