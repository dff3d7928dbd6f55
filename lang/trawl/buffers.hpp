// Long lists: sparks a few elements ahead of whoever goes through them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <span>
#include <utility>
#include <vector>

#include <trawl/containers.hpp>
#include <trawl/list.hpp>

namespace trawl {

/// A list that is sparked a few elements ahead of whoever goes through it.
template <class T, class Strategy>
class Buffered {
 public:
  /// Sparks the first `ahead` of them.
  Buffered(std::vector<Lazy<T>> xs, std::size_t ahead) : xs_(std::move(xs)), ahead_(ahead) {
    detail::spark_with<Strategy>(part(0, ahead_));
  }

  /// Each step sparks one element more.
  class iterator {
   public:
    /// Stands at element `at`.
    iterator(const Buffered& list, std::size_t at) : list_(&list), at_(at) {}
    /// Forces it.
    const T& operator*() const { return force(list_->xs_[at_]); }
    /// The next element.
    iterator& operator++() {
      detail::spark_with<Strategy>(list_->part(at_ + list_->ahead_, 1));
      ++at_;
      return *this;
    }
    /// At the same element?
    friend bool operator==(const iterator&, const iterator&) = default;

   private:
    const Buffered* list_;
    std::size_t at_;
  };

  /// The first element.
  iterator begin() const { return {*this, 0}; }
  /// Behind the last one.
  iterator end() const { return {*this, xs_.size()}; }

 private:
  /// What there is of so many elements.
  std::span<const Lazy<T>> part(std::size_t from, std::size_t size) const {
    const std::span all(xs_);
    return from < all.size() ? all.subspan(from, std::min(size, all.size() - from)) : all.first(0);
  }

  std::vector<Lazy<T>> xs_;
  std::size_t ahead_;
};

/// A lazy list that is sparked a few elements ahead of whoever goes through it, once; what he has
/// passed is let go of.
template <class T, class Strategy>
class BufferedList {
 public:
  /// Sparks the first `ahead` of them. (Not inlined: else whoever goes through the list may keep it
  /// in a register.)
  [[gnu::noinline]] BufferedList(Lazy<List<T>>&& list, std::size_t ahead)
      : at_(list), sparked_(list) {
    list.let_go();
    while (ahead > 0 && spark_next()) --ahead;
  }

  /// The other one lets go.
  BufferedList(BufferedList&& other) noexcept : at_(other.at_), sparked_(other.sparked_) {
    other.at_.let_go();
    other.sparked_.let_go();
  }
  BufferedList& operator=(BufferedList&&) = delete;
  ~BufferedList() = default;

  /// Each step sparks one element more.
  class iterator {
   public:
    /// At the beginning of what is left.
    explicit iterator(BufferedList& list) : list_(&list) {}
    /// Forces it.
    const T& operator*() const { return force(force(list_->at_).head); }
    /// The next element.
    iterator& operator++() {
      list_->spark_next();
      list_->at_ = consume(std::move(list_->at_)).tail;
      return *this;
    }
    /// Behind the last one?
    bool done() const { return force(list_->at_).empty(); }
    /// The same.
    friend bool operator==(const iterator& it, std::default_sentinel_t) { return it.done(); }

   private:
    BufferedList* list_;
  };

  /// The first element that nobody has passed.
  iterator begin() { return iterator(*this); }
  /// Behind the last one.
  std::default_sentinel_t end() const { return {}; }

 private:
  /// False: there is none. (Not inlined, as `consume` is not.)
  [[gnu::noinline]] bool spark_next() {
    if (force(sparked_).empty()) return false;
    heap::clear_finished_calls<512>();
    const List<T> cell = consume(std::move(sparked_));
    detail::spark_with<Strategy>(std::span<const Lazy<T>>(&cell.head, 1));
    sparked_ = cell.tail;
    return true;
  }

  Lazy<List<T>> at_;
  Lazy<List<T>> sparked_;  // all before it are
};

/// Sparks so many elements ahead of a loop.
template <class Strategy>
struct ParBuffer {
  using takes_over = void;  ///< a temporary is its own

  std::size_t ahead;  ///< elements

  /// Of a vector, to be gone through as often as one likes.
  template <class T>
  Buffered<T, Strategy> operator()(const std::vector<Lazy<T>>& xs) const {
    return {xs, ahead};
  }
  /// Of a lazy list, to be gone through once; `list` refers to nothing any more. What else refers
  /// to its beginning keeps all of it.
  template <class T>
  BufferedList<T, Strategy> operator()(Lazy<List<T>>&& list) const {
    return {std::move(list), ahead};
  }
  /// Of one that somebody keeps.
  template <class T>
  BufferedList<T, Strategy> operator()(const Lazy<List<T>>& list) const {
    return (*this)(Lazy<List<T>>(list));
  }
};

template <class Strategy>
inline constexpr bool detail::is_strategy<ParBuffer<Strategy>> = true;

/// For long lists: `for (const T& x : apply(xs, par_buffer(100, rseq)))` keeps at most about 100
/// sparks ahead of the loop. A lazy list that is moved into `apply` dies behind the loop.
template <class Strategy>
ParBuffer<Strategy> par_buffer(std::size_t ahead, Strategy) {
  detail::must_travel<Strategy>();
  return {ahead};
}

}  // namespace trawl
