// Distributed data as a value.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include <trawl/dist/copies.hpp>
#include <trawl/dist/spreading.hpp>
#include <trawl/placed.hpp>
#include <trawl/spread.hpp>

namespace trawl {

template <class T>
class Dist;

namespace detail {

template <class T>
std::vector<T> elements_of(const Shard<T>& shard) {
  return force(shard.elements);
}

/// A Dist's insides, for skeletons.
template <class T>
struct Parts {
  std::vector<Lazy<Shard<T>>> shards;
  std::vector<Place> places;       // of each
  std::vector<Lazy<Ran>> made;     // by the groups that make them
  std::vector<Lazy<Ran>> sources;  // and those by which what these were made of was
  std::vector<double> measured{};  // cost of each, when it was balanced last
  double missed = 0;               // ns that steps have taken longer since, as nothing was moved
  Spreading spreading{};
  int uncopied = 0;         // skeletons since the last copy was begun
  std::int64_t copied = 0;  // when that was, see is_time_for_copies
  Lazy<Copying> copying{};

  /// Copies are the business of the PE that had them made. How many groups there are depends on who
  /// is alive; a value that is made again has to have the same handles.
  template <class Archive>
  void serialize(Archive& archive) {
    archive(shards, places, measured, missed, spreading, uncopied);
  }

  /// What says what became of the shards; of data that have come from another PE they are asked
  /// for.
  std::vector<Lazy<Ran>> groups() const {
    if (!made.empty() || shards.empty()) return made;
    auto at = places;
    leave_lost(at);
    return start(shards, at);
  }

  /// The element count of each shard.
  std::vector<std::uint64_t> counts() const {
    std::vector<std::uint64_t> all;
    all.reserve(shards.size());
    each_shape([&all](const Shape& shape) { all.push_back(shape.count); });
    return all;
  }

  /// Waits until all has been made; throws what the first shard that failed threw.
  template <class Use>
  void each_shape(Use use) const {
    std::size_t i = 0;
    for (const auto& group : groups())
      for (const auto& shape : force(group).shapes) {
        // It may have failed there only because something was lost with a PE.
        use(shape.failed ? force(shards[i]).trawl_told() : shape);
        ++i;
      }
  }
};

}  // namespace detail

/// A sequence in shards, each an array on the PE that made it; no PE, the main one included, needs
/// room for all. A value: copying it copies references, and the data go when the last of them has.
/// What it is made of may still be computed. How many shards there are depends on the data alone,
/// so answers are the same bits on any PEs. A skeleton's exception is thrown by what needs its
/// values. (Alt, Mueller and Gorlatch, section 3.)
template <class T>
class Dist {
  static_assert(!std::is_same_v<T, bool>,
                "trawl: nothing can refer to an element of a std::vector<bool>: make a Dist of "
                "char, or of an enum.");

 public:
  using value_type = T;  ///< of an element

  /// Of no elements.
  Dist() = default;

  /// How many elements: waits until all shards are there.
  std::size_t size() const {
    std::size_t sum = 0;
    for (const auto count : parts_.counts()) sum += static_cast<std::size_t>(count);
    return sum;
  }
  /// Are there none? Waits as `size` does.
  bool empty() const { return size() == 0; }
  /// How many shards.
  std::size_t shards() const noexcept { return parts_.shards.size(); }
  /// Where shard i lies.
  Place place(std::size_t i) const { return parts_.places.at(i); }

  /// Goes through the elements in order; a shard at a time is copied here, and the next is on its
  /// way.
  class iterator {
   public:
    using value_type = T;                               ///< an element
    using difference_type = std::ptrdiff_t;             ///< never used
    using iterator_category = std::input_iterator_tag;  ///< a single pass
    /// At the beginning. It keeps what it goes through.
    explicit iterator(const detail::Parts<T>& parts)
        : shards_(std::make_shared<const Shards>(Shards{parts.shards, parts.places})) {
      ask(0);
      find();
    }
    /// The element.
    const T& operator*() const { return (*elements_)[at_]; }
    /// The next.
    iterator& operator++() {
      ++at_;
      find();
      return *this;
    }
    /// The next.
    void operator++(int) { ++*this; }
    /// Behind the last one?
    friend bool operator==(const iterator& it, std::default_sentinel_t) {
      return it.elements_ == nullptr;
    }

   private:
    struct Shards {
      std::vector<Lazy<detail::Shard<T>>> all;
      std::vector<Place> places;
    };

    void ask(std::size_t i) {
      coming_ = {};
      if (i >= shards_->all.size()) return;
      coming_ = detail::lazy_placed<&detail::elements_of<T>>(shards_->all[i]);
      sched::place(coming_.node(), detail::pe_of(shards_->places[i]));
    }
    void find() {
      while (elements_ == nullptr || at_ == elements_->size()) {
        elements_ = nullptr;
        if (!coming_) return;
        here_ = coming_;
        ask(++next_);
        elements_ = &force(here_);
        at_ = 0;
      }
    }

    std::shared_ptr<const Shards> shards_;
    Lazy<std::vector<T>> here_;
    Lazy<std::vector<T>> coming_;
    std::size_t next_ = 0;
    const std::vector<T>* elements_ = nullptr;
    std::size_t at_ = 0;
  };

  /// The first element.
  iterator begin() const { return iterator(parts_); }
  /// Behind the last one.
  std::default_sentinel_t end() const noexcept { return {}; }

  /// It travels.
  template <class Archive>
  void serialize(Archive& archive) {
    archive(parts_);
  }

  /// The runtime's.
  explicit Dist(detail::Parts<T> parts) : parts_(std::move(parts)) {}
  /// The runtime's.
  const detail::Parts<T>& parts() const noexcept { return parts_; }

 private:
  detail::Parts<T> parts_;
};

template <class T>
struct needs_no_destructor<Dist<T>> : std::true_type {};

/// All elements, here.
template <class T>
std::vector<T> collect(const Dist<T>& d) {
  std::vector<T> all;
  all.reserve(d.size());
  for (const auto& x : d) all.push_back(x);
  return all;
}

namespace detail {

/// So that a loop of skeletons which nobody waits for does not run away from those who compute: the
/// source of the source has been made.
template <class T>
void keep_pace(const Parts<T>& source) {
  for (const auto& group : source.sources) await(group);
  if (!source.sources.empty() && sched::skeletons_between_copies() != 0)
    sched::note_size(bytes_made(nodes_of(source.sources)));
}

/// Every so often has copies made of what is being made.
template <class T>
void see_to_copies(Parts<T>& parts) {
  if (const int every = sched::skeletons_between_copies(); every != 0) {
    const bool refer = heap::may_refer<T>();
    // What holds a Lazy is more to copy, or can't be; perhaps what comes next holds none.
    const long least = refer ? 2L * every : every;
    const bool due = ++parts.uncopied >= least &&
                     (parts.uncopied >= 128 * least ||
                      sched::is_time_for_copies(
                          time_of_copies(nodes_of(parts.sources), parts.places), parts.copied));
    auto* copying = finish(parts.copying.node(), due);
    if (due) {
      parts.uncopied = 0;
      copying = begin_copies(nodes_of(parts.shards), parts.places, refer, &node_of_copy<T>);
    }
    parts.copying = Lazy<Copying>::refer_to(copying);
  }
}

/// Has the thunks made, each in its place.
template <class T>
Parts<T> made_parts(Parts<T> parts) {
  leave_lost(parts.places);
  parts.made = start(parts.shards, parts.places);
  see_to_copies(parts);
  return parts;
}
template <class T>
Dist<T> made_of(Parts<T> parts) {
  return Dist<T>(made_parts(std::move(parts)));
}

template <class R, class T>
Dist<R> made_from(const Parts<T>& source, std::vector<Lazy<Shard<R>>> shards,
                  std::vector<Place> places) {
  return made_of(Parts<R>{std::move(shards),
                          std::move(places),
                          {},
                          source.made,
                          source.measured,
                          source.missed,
                          source.spreading,
                          source.uncopied,
                          source.copied,
                          source.copying});
}

}  // namespace detail
}  // namespace trawl
