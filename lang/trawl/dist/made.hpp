// A shard that is being made: in memory that it can stay in.
#pragma once

#include <cstddef>
#include <cstdint>
#include <new>
#include <ranges>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include <trawl/dist/group.hpp>
#include <trawl/inline/places.hpp>

namespace trawl::detail {

/// A value whose memory is owned storage already.
template <class T, heap::Stay stay = heap::Stay::yes, class How = heap::AsItIs, class From>
Lazy<T> as_it_is(From&& value, How how = {}) {
  using Result = heap::ResultOf<T>;
  auto* node = static_cast<heap::Node*>(heap::allocate(Result::bytes));
  new (node->payload(Result::offset)) heap::Held<T>(how, std::forward<From>(value));
  node->init(heap::value_code<T, stay>, heap::State::value);
  return Lazy<T>::refer_to(node);
}

/// What is destroyed when it has died is moved into its node; all else would be copied there.
template <class T>
inline constexpr bool made_in_place = !heap::destructor_runs<T>;

/// A kept value made by default, and then by `fill(value)`, in memory that it can stay in. No
/// function of the program's may run meanwhile: what it gets of operator new would be the value's.
template <class T, class Fill>
Lazy<T> made_by_runtime(Fill fill) {
  T value;
  if constexpr (made_in_place<T>) {
    {
      const heap::StorageScope scope(heap::Held<T>::storage);
      fill(value);
    }
    return as_it_is<T>(std::move(value));
  } else {
    fill(value);
    return keep(std::move(value));
  }
}

/// About what an element takes in a message.
template <class T>
std::uint64_t bytes_of(const T& x) {
  if constexpr (!heap::PointerFree<T> && std::ranges::sized_range<T>) {
    if constexpr (heap::PointerFree<std::ranges::range_value_t<T>>)
      return std::ranges::size(x) * sizeof(std::ranges::range_value_t<T>);
    std::uint64_t sum = 0;
    for (const auto& each : x) sum += bytes_of(each);
    return sum;
  }
  return sizeof(T);
}

template <class R>
class Made {
  using Elements = std::vector<R>;
  static constexpr bool in_place = made_in_place<Elements>;

 public:
  explicit Made(std::size_t room) : begun_(sched::begin_cost()) { reserve(room); }
  /// Copies of some.
  explicit Made(std::span<const R> some) : Made(some.size()) { add_all(some); }
  /// What others have made, since then.
  Made(Elements&& others, const sched::CostMark& begun) : begun_(begun) {
    if constexpr (in_place) {
      if (!heap::is_long_and_owned(others)) {
        reserve(others.size());
        add_all(others);
        return;
      }
    }
    elements_ = std::move(others);
  }

  void add(R&& x) {
    if constexpr (!in_place || heap::PointerFree<R>) {
      elements_.push_back(std::move(x));
    } else if (heap::is_long_and_owned(x)) {
      const auto scope = for_elements();
      elements_.push_back(std::move(x));
    } else {
      add(std::as_const(x));
    }
  }
  void add(const R& x) {
    if constexpr (!in_place || heap::PointerFree<R>) {
      elements_.push_back(x);
    } else {
      R copy = [&x] {
        const auto scope = for_one();
        return x;
      }();
      const auto scope = for_elements();
      elements_.push_back(std::move(copy));
    }
  }
  /// One that `fill(element)` makes, of one made by default, as made_by_runtime does.
  template <class Fill>
  void add_by(Fill fill) {
    R element;
    {
      const auto scope = for_one();
      fill(element);
    }
    const auto scope = for_elements();
    elements_.push_back(std::move(element));
  }
  template <class Some>
  void add_all(const Some& some) {
    if constexpr (!in_place || heap::PointerFree<R>)
      elements_.insert(elements_.end(), some.begin(), some.end());
    else
      for (const R& x : some) add(x);
  }

  std::vector<R>& elements() noexcept { return elements_; }

  /// To be called once.
  Shard<R> shard() && {
    Shard<R> shard;
    shard.cost = sched::cost_since(begun_);
    shard.count = elements_.size();
    for (const auto& x : elements_) {
      if constexpr (heap::PointerFree<R>) {
        shard.bytes = shard.count * sizeof(R);
        break;
      }
      shard.bytes += bytes_of<R>(x);
    }
    shard.elements = std::move(*this).alone();
    return shard;
  }

  /// The elements alone; to be called once.
  template <heap::Stay stay = heap::Stay::yes>
  Lazy<Elements> alone() && {
    if constexpr (in_place)
      return as_it_is<Elements, stay>(std::move(elements_));
    else
      return Lazy<Elements>::refer_to(heap::make_value<Elements, stay>(std::move(elements_)));
  }

 private:
  void reserve(std::size_t room) {
    const auto scope = for_elements();
    elements_.reserve(room);
  }
  static heap::StorageScope for_elements() noexcept {
    return heap::StorageScope(in_place ? heap::Held<Elements>::storage : heap::storage_now());
  }
  /// What one element owns is not scanned if it is numbers only; where the elements lie is.
  static heap::StorageScope for_one() noexcept {
    return heap::StorageScope(in_place ? heap::Held<R>::storage : heap::storage_now());
  }

  Elements elements_;
  sched::CostMark begun_;
};

/// Elements that lie in a node, in another one too: in the same memory, where that can be.
template <class R>
Lazy<std::vector<R>> by_another_name(const std::vector<R>& elements) {
  using Elements = std::vector<R>;
  if constexpr (made_in_place<Elements>)
    return as_it_is<Elements>(elements, heap::SameMemory());
  else
    return Made<R>(std::span(elements)).alone();
}

/// Of elements that others have made.
template <class R>
Shard<R> shard_of(std::vector<R>&& elements, const sched::CostMark& begun) {
  Made<R> made(std::move(elements), begun);
  return std::move(made).shard();
}

}  // namespace trawl::detail
