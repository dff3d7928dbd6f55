#include "programs/tsp/constraints.hpp"

#include <numeric>

namespace tsp {

Constraints::Constraints(int cities)
    : cities_(cities),
      edges_(static_cast<std::size_t>(cities) * static_cast<std::size_t>(cities), Edge::free),
      used_(static_cast<std::size_t>(cities)),
      out_(static_cast<std::size_t>(cities)),
      other_end_(static_cast<std::size_t>(cities)) {
  std::iota(other_end_.begin(), other_end_.end(), 0);
  for (int city = 0; city < cities; ++city) edges_[at(city, city)] = Edge::out;
}

bool Constraints::decide(const Decision& decision) {
  changed_.clear();
  if (!(decision.used ? use(decision.a, decision.b) : leave_out(decision.a, decision.b)))
    return false;
  while (!changed_.empty()) {
    const int city = changed_.back();
    changed_.pop_back();
    if (!settle(city)) return false;
  }
  return true;
}

bool Constraints::use(int a, int b) {
  if (edge(a, b) == Edge::used) return true;
  if (edge(a, b) == Edge::out || used_at(a) == 2 || used_at(b) == 2) return false;
  const int end_a = other_end_[static_cast<std::size_t>(a)];
  const int end_b = other_end_[static_cast<std::size_t>(b)];
  const bool closes = end_a == b;
  if (closes && all_used_ != cities_ - 1) return false;
  edges_[at(a, b)] = edges_[at(b, a)] = Edge::used;
  ++used_[static_cast<std::size_t>(a)];
  ++used_[static_cast<std::size_t>(b)];
  ++all_used_;
  changed_.push_back(a);
  changed_.push_back(b);
  if (closes) return true;
  other_end_[static_cast<std::size_t>(end_a)] = end_b;
  other_end_[static_cast<std::size_t>(end_b)] = end_a;
  if (all_used_ == cities_ - 1) return use(end_a, end_b);
  return edge(end_a, end_b) == Edge::used || leave_out(end_a, end_b);
}

bool Constraints::leave_out(int a, int b) {
  if (edge(a, b) == Edge::out) return true;
  if (edge(a, b) == Edge::used) return false;
  edges_[at(a, b)] = edges_[at(b, a)] = Edge::out;
  ++out_[static_cast<std::size_t>(a)];
  ++out_[static_cast<std::size_t>(b)];
  changed_.push_back(a);
  changed_.push_back(b);
  return true;
}

bool Constraints::settle(int city) {
  const int open = cities_ - 1 - out_[static_cast<std::size_t>(city)];
  if (open < 2) return false;
  const bool full = used_at(city) == 2;
  if (!full && open > 2) return true;
  for (int other = 0; other < cities_; ++other) {
    if (edge(city, other) != Edge::free) continue;
    if (!(full ? leave_out(city, other) : use(city, other))) return false;
  }
  return true;
}

}  // namespace tsp
