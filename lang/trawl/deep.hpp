// All of a value, with whatever it refers to lazily.
#pragma once

#include <queue>
#include <ranges>
#include <stack>
#include <tuple>
#include <variant>
#include <vector>

#include <boost/unordered/unordered_flat_set.hpp>
#include <trawl/lazy.hpp>

namespace trawl {

/// Evaluates every Lazy that can be reached from a value. Long lists take no stack, cycles no time.
/// (A type with a serialize() of its own is not looked into.)
class DeepEvaluation {
 public:
  /// Returns when all is evaluated.
  template <class T>
  void evaluate(const T& value) {
    visit(value);
    while (!todo_.empty()) {
      const auto next = todo_.back();
      todo_.pop_back();
      next.visit(next.node, *this);
    }
  }

 private:
  struct Step {
    heap::Node* node;
    void (*visit)(heap::Node*, DeepEvaluation&);
  };

  template <class T>
  void visit(const T& value) {
    if constexpr (heap::NodeReference<T>) {
      if (value && seen_.insert(value.node()).second)
        todo_.push_back({value.node(), [](heap::Node* node, DeepEvaluation& self) {
                           self.visit(force(Lazy<typename T::value_type>::refer_to(node)));
                         }});
    } else if constexpr (heap::PointerFree<T>) {
    } else if constexpr (std::ranges::range<const T>) {
      if constexpr (!heap::is_plain_array<T>::value)
        for (const auto& element : value) visit(element);
    } else if constexpr (heap::PlainAggregate<T>) {
      heap::detail::each_field(value, [this](const auto& field) { visit(field); });
    } else {
      visit_standard(value);
    }
  }

  template <class... T>
  void visit_standard(const std::tuple<T...>& value) {
    std::apply([this](const auto&... part) { (visit(part), ...); }, value);
  }
  template <class A, class B>
  void visit_standard(const std::pair<A, B>& value) {
    visit(value.first);
    visit(value.second);
  }
  template <class T>
  void visit_standard(const std::optional<T>& value) {
    if (value) visit(*value);
  }
  template <class... T>
  void visit_standard(const std::variant<T...>& value) {
    std::visit([this](const auto& chosen) { visit(chosen); }, value);
  }
  template <class T, class C>
  void visit_standard(const std::stack<T, C>& value) {
    visit(container_of(value));
  }
  template <class T, class C>
  void visit_standard(const std::queue<T, C>& value) {
    visit(container_of(value));
  }
  template <class T, class C, class Less>
  void visit_standard(const std::priority_queue<T, C, Less>& value) {
    visit(container_of(value));
  }
  template <class T>
  void visit_standard(const T&) {}

  template <class Adaptor>
  static const typename Adaptor::container_type& container_of(const Adaptor& adaptor) {
    struct Access : Adaptor {
      static auto member() { return &Access::c; }
    };
    return adaptor.*Access::member();
  }

  std::vector<Step> todo_;
  boost::unordered_flat_set<heap::Node*> seen_;
};

}  // namespace trawl
