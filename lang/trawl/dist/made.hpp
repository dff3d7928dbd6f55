// A shard that is being made: in memory that it can stay in.
#pragma once

#include <cstddef>
#include <cstdint>
#include <new>
#include <ranges>
#include <type_traits>
#include <utility>
#include <vector>

#include <trawl/dist/group.hpp>
#include <trawl/inline/work.hpp>

namespace trawl::detail {

/// A kept value whose memory is owned storage already.
template <class T>
Lazy<T> keep_as_it_is(T&& value) {
  using Result = heap::ResultOf<T>;
  auto* node = static_cast<heap::Node*>(heap::allocate(Result::bytes));
  new (node->payload(Result::offset)) heap::Held<T>(heap::AsItIs(), std::move(value));
  node->init(heap::value_code<T, heap::Stay::yes>, heap::State::value);
  return Lazy<T>::refer_to(node);
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
 public:
  explicit Made(std::size_t room) : begun_(now()) {
    const heap::StorageScope scope(in_place ? storage : heap::storage_now());
    elements_.reserve(room);
  }

  void add(R&& x) {
    if constexpr (!in_place || heap::PointerFree<R>) {
      elements_.push_back(std::move(x));
    } else {
      const heap::StorageScope scope(storage);
      elements_.push_back(std::as_const(x));
    }
  }
  void add(const R& x) {
    if constexpr (!in_place || heap::PointerFree<R>) {
      elements_.push_back(x);
    } else {
      const heap::StorageScope scope(storage);
      elements_.push_back(x);
    }
  }

  std::vector<R>& elements() noexcept { return elements_; }

  /// To be called once.
  Shard<R> shard() && {
    const auto cost = now() - begun_;
    Shard<R> shard;
    shard.cost = cost;
    shard.count = elements_.size();
    for (const auto& x : elements_) {
      if constexpr (heap::PointerFree<R>) {
        shard.bytes = shard.count * sizeof(R);
        break;
      }
      shard.bytes += bytes_of<R>(x);
    }
    if constexpr (in_place)
      shard.elements = keep_as_it_is(std::move(elements_));
    else
      shard.elements = keep(std::move(elements_));
    return shard;
  }

 private:
  using Elements = std::vector<R>;
  /// What is destroyed when it has died is moved there; else it would be copied.
  static constexpr bool in_place = !heap::destructor_runs<Elements>;
  static constexpr auto storage = heap::Held<Elements>::storage;

  Elements elements_;
  std::int64_t begun_;
};

/// Of elements that others have made.
template <class R>
Shard<R> shard_of(std::vector<R>&& elements, std::int64_t begun) {
  Shard<R> shard;
  shard.count = elements.size();
  for (const auto& x : elements) shard.bytes += bytes_of<R>(x);
  shard.elements = keep(std::move(elements));
  shard.cost = now() - begun;
  return shard;
}

}  // namespace trawl::detail
