#include "profiles/tune/interval.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <boost/math/distributions/students_t.hpp>

namespace tune {
namespace {

constexpr double all = -std::numeric_limits<double>::infinity();

double saved(double logarithm) {
  return 1 - std::exp(logarithm);
}

}  // namespace

Interval gain(std::span<const double> logarithms, double confidence) {
  if (std::any_of(logarithms.begin(), logarithms.end(), [](double x) { return !std::isfinite(x); }))
    return {all, all, all};
  const auto number = static_cast<double>(logarithms.size());
  double mean = 0;
  for (const double x : logarithms) mean += x / number;
  if (logarithms.size() < 2) return {all, saved(mean), 1};
  double squares = 0;
  for (const double x : logarithms) squares += (x - mean) * (x - mean);
  const double error = std::sqrt(squares / (number - 1) / number);
  const boost::math::students_t_distribution<double> t(number - 1);
  const double half = error * boost::math::quantile(t, (1 + confidence) / 2);
  return {saved(mean + half), saved(mean), saved(mean - half)};
}

}  // namespace tune
