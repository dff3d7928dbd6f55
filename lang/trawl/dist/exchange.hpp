// Skeletons in which each shard needs something of each other: exchange, all_gather.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include <trawl/dist/deal.hpp>

namespace trawl {
namespace detail {

/// Where each shard ends, of elements counted from the first. Throws what a shard has thrown.
template <class T>
std::vector<std::uint64_t> shard_ends(const std::vector<Lazy<Ran>>& made,
                                      const std::vector<Lazy<Shard<T>>>& shards) {
  std::vector<std::uint64_t> ends;
  std::uint64_t end = 0;
  for (const auto& group : made)
    for (const auto& shape : force(group).shapes) {
      const auto& shard = shards[ends.size()];
      ends.push_back(end += (shape.failed ? force(shard).trawl_told() : shape).count);
    }
  return ends;
}

template <class T>
Dealt<T> deal_rows(std::size_t shard, const Lazy<Shard<std::vector<T>>>& source,
                   const Lazy<std::vector<std::uint64_t>>& row_ends,
                   const Lazy<std::vector<std::uint64_t>>& run_ends) {
  const auto& rows = force(force(source).elements);
  const auto& ends = force(row_ends);
  for (const auto& row : rows)
    if (row.size() != ends.back())
      throw Error("exchange: a row of shard " + std::to_string(shard) + " has " +
                  std::to_string(row.size()) + " elements; there are " +
                  std::to_string(ends.back()) + " rows, and each has one for each");
  std::vector<std::uint64_t> element_ends;
  for (const auto end : ends) element_ends.push_back(end * rows.size());
  const auto add_columns = [&](std::size_t begin, std::size_t end, std::vector<T>& hand) {
    if (begin == end) return;
    for (auto c = begin / rows.size(); c < end / rows.size(); ++c)
      for (const auto& row : rows) hand.push_back(row[c]);
  };
  return deal_by<T>(element_ends, force(run_ends), add_columns);
}

template <class T>
Shard<std::vector<T>> take_rows(const Lazy<std::vector<Lazy<Dealt<T>>>>& all, std::size_t run,
                                std::size_t in_run, std::size_t shard,
                                const Lazy<std::vector<std::uint64_t>>& row_ends) {
  const auto& dealt = force(all);
  const auto& ends = force(row_ends);
  const auto parts = taken(dealt, run, in_run);
  const auto rows = static_cast<std::size_t>(ends[shard] - (shard == 0 ? 0 : ends[shard - 1]));
  Made<std::vector<T>> made(rows);
  for (std::size_t r = 0; r < rows; ++r)
    made.add_by([&](std::vector<T>& row) {
      row.reserve(static_cast<std::size_t>(ends.back()));
      for (const auto& part : parts) {
        const auto its = part.subspan(part.size() / rows * r, part.size() / rows);
        row.insert(row.end(), its.begin(), its.end());
      }
    });
  return std::move(made).shard();
}

}  // namespace detail

/// A personalised all-to-all: of n rows of n elements each, row i of what it gives has, in the
/// order of the rows, element i of each. Each PE fetches what is for it from those who have it.
template <class T>
Dist<std::vector<T>> exchange(const Dist<std::vector<T>>& d) {
  using namespace detail;
  const auto& source = d.parts();
  keep_pace(source);
  const auto count = source.shards.size();
  if (count == 0) return d;
  const auto runs = stretches(source.places);
  const Lazy<std::vector<std::uint64_t>> run_ends(ends_of(runs));
  const auto row_ends = lazy_placed<&shard_ends<std::vector<T>>>(source.groups(), source.shards);
  start(std::vector{row_ends}, std::span(source.places).first(1));
  std::vector<Lazy<Dealt<T>>> dealt;
  for (std::size_t i = 0; i < count; ++i)
    dealt.push_back(lazy_placed<&deal_rows<T>>(i, source.shards[i], row_ends, run_ends));
  start(dealt, source.places);
  const Lazy<std::vector<Lazy<Dealt<T>>>> all(dealt);
  std::vector<Lazy<Shard<std::vector<T>>>> shards;
  for (std::size_t r = 0; r < runs.size(); ++r)
    for (auto i = runs[r].begin; i < runs[r].end; ++i)
      shards.push_back(lazy_placed<&take_rows<T>>(all, r, i - runs[r].begin, i, row_ends));
  return made_from(source, std::move(shards), source.places);
}
/// Refused, with what to write instead.
template <class T>
Dist<T> exchange(const Dist<T>& d) {
  constexpr bool is_row = std::is_same_v<T, detail::Refused>;
  static_assert(is_row,
                "trawl: exchange takes a Dist of rows: of std::vectors, each with an element for "
                "each row.");
  return d;
}
/// Nothing can refer to an element of such a row. The compiler shows the line.
void exchange(const Dist<std::vector<bool>>&) = delete;  // trawl: exchange rows of char.

namespace detail {

/// Some shards that follow each other.
template <class T>
using Block = std::vector<Lazy<Shard<T>>>;

/// All of it is asked for before the first is waited for.
template <class T>
Made<T> joined(const Block<T>& block) {
  for (const auto& shard : block) fetch(shard);
  std::size_t count = 0;
  for (const auto& shard : block) {
    count += static_cast<std::size_t>(force(shard).count);
    fetch(force(shard).elements);
  }
  Made<T> made(count);
  for (const auto& shard : block) made.add_all(force(force(shard).elements));
  return made;
}

/// What the neighbour has, here: who comes after takes it from here.
template <class T>
Shard<T> passed_on(const Block<T>& block) {
  auto made = joined(block);
  return std::move(made).shard();
}

template <class T>
std::vector<T> all_of(const Block<T>& block) {
  auto made = joined(block);
  return std::move(made.elements());
}

}  // namespace detail

/// All elements, at each place where some lie. They go round a ring of these places: each block
/// crosses each link once.
template <class T>
Everywhere<std::vector<T>> all_gather(const Dist<T>& d) {
  using namespace detail;
  const auto& source = d.parts();
  keep_pace(source);
  if (source.shards.empty())
    return Everywhere<std::vector<T>>({{place_of(sched::pe_here()), Lazy(std::vector<T>())}});
  const auto runs = stretches(source.places);
  const auto count = runs.size();
  // has[p][q]: where p takes q's block from: itself, but for what comes last.
  std::vector<std::vector<Block<T>>> has(count, std::vector<Block<T>>(count));
  for (std::size_t p = 0; p < count; ++p)
    has[p][p].assign(source.shards.begin() + static_cast<std::ptrdiff_t>(runs[p].begin),
                     source.shards.begin() + static_cast<std::ptrdiff_t>(runs[p].end));
  std::vector<Block<T>> passed(count);
  for (std::size_t step = 1; step < count; ++step)
    for (std::size_t p = 0; p < count; ++p) {
      const auto q = (p + count - step) % count;
      const auto& block = has[(p + count - 1) % count][q];
      has[p][q] = block;
      if (step + 1 == count) continue;  // the last: nobody takes it from here
      has[p][q] = {lazy_placed<&passed_on<T>>(block)};
      passed[p].push_back(has[p][q].front());
    }
  std::vector<std::pair<Place, Lazy<std::vector<T>>>> copies;
  for (std::size_t p = 0; p < count; ++p) {
    start(passed[p], std::vector<Place>(passed[p].size(), runs[p].place));
    Block<T> all;
    for (const auto& block : has[p]) all.insert(all.end(), block.begin(), block.end());
    copies.emplace_back(runs[p].place, lazy_placed<&all_of<T>>(all));
  }
  for (const auto& [place, copy] : copies) start(std::vector{copy}, std::vector{place});
  return Everywhere<std::vector<T>>(std::move(copies));
}

}  // namespace trawl
