// A program's policy, asked as one of ours: what it says is checked, and what it leaves open is as
// in Grid-GUM.
#include "rts/balance/registered.hpp"

#include <algorithm>
#include <exception>
#include <functional>
#include <new>
#include <string>
#include <utility>

#include "rts/inline/error.hpp"
#include "rts/inline/policy.hpp"

namespace trawl {

// ---- what it sees

int PolicyView::self() const noexcept {
  return tables_.self();
}

int PolicyView::size() const noexcept {
  return tables_.size();
}

std::span<const int> PolicyView::others() const noexcept {
  return tables_.others();
}

std::span<const int> PolicyView::far() const noexcept {
  return tables_.far();
}

std::span<const int> PolicyView::cluster_of(int pe) const noexcept {
  return tables_.members(tables_.cluster_of(pe));
}

bool PolicyView::alive(int pe) const noexcept {
  return !tables_.lost(pe);
}

double PolicyView::strength(int pe) const noexcept {
  return tables_.strength_now(pe);
}

PolicyView::Load PolicyView::load(int pe) const noexcept {
  if (!tables_.known(pe)) return {};
  const auto& load = tables_.load_of(pe);
  return {load.sparks, load.runnable, std::max<Nanos>(0, tables_.latest() - load.measured)};
}

std::int64_t PolicyView::latency(int pe) const noexcept {
  const auto& latency = tables_.latency_to(pe);
  return latency.measured < 0 ? -1 : latency.one_way;
}

std::int64_t PolicyView::last_steal(int pe) const noexcept {
  return tables_.last_steal(tables_.cluster_of(pe)).took;
}

// ---- what it leaves open

int Policy::forward(const PolicyView&, int thief, std::uint64_t) {
  return thief;
}

unsigned Policy::sparks(const PolicyView&, int, unsigned) {
  return 1;
}

namespace {

// Programs register before main begins, in any order.
auto& registry() {
  static std::vector<std::pair<std::string, PolicyRegistration::Make>> all;
  return all;
}

}  // namespace

PolicyRegistration::PolicyRegistration(std::string name, Make make) {
  registry().emplace_back(std::move(name), std::move(make));
}

// ---- how it is asked

namespace balance {
namespace {

class Registered final : public Policy {
 public:
  Registered(std::string_view name, const std::function<std::unique_ptr<trawl::Policy>()>& make)
      : name_(name), its_(ask(make)) {
    if (its_ == nullptr) throw Error("the program's policy '" + name_ + "' makes no object", 2);
  }

  Decision next(const Tables& tables, const Situation& pe, std::uint64_t random) const override {
    if (!pe.hungry || pe.under_way.size() >= pe.most_near || tables.others().empty()) return {};
    const auto after = std::max(pe.near_after, pe.far_after);
    if (pe.now < after) return {.again = after};
    const int victim = ask<int>([&] { return its_->victim(PolicyView(tables), random); });
    if (victim == -1) return {.again = pe.now + ask_again};
    check(tables, victim);
    return {.victim = victim};
  }

  int forward(const Tables& tables, const Fish& fish, std::uint64_t random) const override {
    if (tables.lost(fish.thief)) return -1;
    if (fish.age >= Fish::max_age) return fish.thief;
    const int next =
        ask<int>([&] { return its_->forward(PolicyView(tables), fish.thief, random); });
    if (next == fish.thief) return next;
    check(tables, next);
    return fish.has_visited(next) ? fish.thief : next;
  }

  std::uint32_t portion(const Tables& tables, const Fish& fish, const Supply& has) const override {
    return std::max(
        1U, ask<unsigned>([&] { return its_->sparks(PolicyView(tables), fish.thief, has.spare); }));
  }

 private:
  static constexpr Nanos ask_again = 1'000'000;

  /// What its policy throws is an error that names it.
  template <class Answer>
  Answer ask(const std::function<Answer()>& question) const {
    try {
      return question();
    } catch (const std::bad_alloc&) {
      throw;
    } catch (const std::exception& e) {
      throw Error("the program's policy '" + name_ + "' threw: " + e.what(), 2);
    } catch (...) {
      throw Error("the program's policy '" + name_ + "' threw what is no std::exception", 2);
    }
  }

  void check(const Tables& tables, int pe) const {
    if (pe >= 0 && pe < tables.size() && pe != tables.self() && !tables.lost(pe)) return;
    throw Error("the program's policy '" + name_ + "' sends a FISH from PE " +
                    std::to_string(tables.self()) + " to PE " + std::to_string(pe) +
                    ": choose one of others()",
                2);
  }

  std::string name_;
  std::unique_ptr<trawl::Policy> its_;
};

}  // namespace

std::vector<std::string_view> all_policy_names() {
  auto names = policy_names();
  for (const auto& [name, make] : registry()) names.emplace_back(name);
  return names;
}

std::unique_ptr<Policy> make_registered(std::string_view name) {
  std::unique_ptr<Policy> found;
  for (const auto& [its, make] : registry()) {
    if (its != name) continue;
    if (found != nullptr)
      throw Error("the program registers two policies '" + its + "': give them names of their own",
                  2);
    found = std::make_unique<Registered>(its, make);
  }
  return found;
}

}  // namespace balance
}  // namespace trawl
