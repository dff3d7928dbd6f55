// What the runtime knows of a function that thunks suspend: how to run it, how to pack it.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>

namespace trawl::detail {

/// What a value tells of itself to who only sees to it: elements, bytes, what making it took in ns.
struct Shape {
  std::uint64_t count = 0;
  std::uint64_t bytes = 0;
  std::int64_t cost = 0;
  bool failed = false;
};

}  // namespace trawl::detail

namespace trawl::heap {

struct Node;
class Packer;
class Unpacker;

/// One Code per function and argument types, made by the template `thunk_code` (thunk.hpp). Its
/// name is the function's type name; its id is its place among all names, alike on every PE.
struct alignas(32) Code {
  std::string_view name;
  const void* result_type;   ///< tells results of different types apart
  std::size_t bytes;         ///< of a node: header and the larger of arguments and result
  std::size_t result_at;     ///< where in a node its result is
  std::size_t plain_result;  ///< the size of that, if it travels as the bytes it is; else 0
  bool placed = false;       ///< its thunks are evaluated where they are placed, see Placed
  bool step = false;         ///< ... which are a part of distributed data
  bool kept = false;         ///< its values stay where they are made, but for who forces them
  bool writes = false;       ///< its calls are made in the order of an object's writes, see Writes

  void (*evaluate)(Node*);  ///< nullptr: values only. Leaves a value or an exception.
  Node* (*promote)(const Code&, const void* arguments);  ///< a thunk with a frame's arguments
  void (*drop_arguments)(Node*);
  void (*move_arguments)(Node* from, Node* to);  ///< `to` has none before, `from` none after
  void (*pack_arguments)(Node*, Packer&);
  void (*unpack_arguments)(Node*, Unpacker&);
  void (*pack_value)(Node*, Packer&);
  void (*unpack_value)(Node*, Unpacker&);
  /// Of a thunk that only sees to others, before it is evaluated: one of these. Else nullptr.
  const Node* (*subject)(Node*) = nullptr;
  /// Of a value that tells something of itself. Else nullptr.
  trawl::detail::Shape (*tell)(Node*) = nullptr;

  mutable std::uint32_t id = 0;

  /// Enters itself into the table of codes.
  Code(std::string_view name, const void* result_type, std::size_t bytes);
  Code(const Code&) = delete;
  Code& operator=(const Code&) = delete;
};

/// A call whose result has one reader, who takes it out of the thunk: its spawner. So it lies in
/// the program's own memory, not in memory that dies with the node.
template <class Call>
struct OneReader {
  template <class... A>
  decltype(auto) operator()(const A&... arguments) const {
    return Call{}(arguments...);
  }
};
template <class Call>
inline constexpr bool has_one_reader = false;
template <class Call>
inline constexpr bool has_one_reader<OneReader<Call>> = true;

/// A call that is evaluated where it is placed (sched::place): nothing that refers to its thunk
/// takes that along, who needs the value fetches it, and no FISH gets it.
template <class Call>
struct Placed {
  template <class... A>
  decltype(auto) operator()(const A&... arguments) const {
    return Call{}(arguments...);
  }
};
/// The same, of a step of distributed data, of which there are copies every so often.
template <class Call>
struct PlacedStep : Placed<Call> {};
template <class Call>
inline constexpr bool is_step = false;
template <class Call>
inline constexpr bool is_step<PlacedStep<Call>> = true;
template <class Call>
inline constexpr bool is_placed = is_step<Call>;
template <class Call>
inline constexpr bool is_placed<Placed<Call>> = true;

/// Is R what a call gives that only sees to thunks, the first argument's? Logs name it after these.
template <class R>
inline constexpr bool tells_of_others = false;

/// Does a value tell something of itself?
template <class R>
concept Telling = requires(const R& value) {
  { value.trawl_told() } -> std::same_as<trawl::detail::Shape>;
};

/// A call that changes this PE's replica of an object (sched::write_object).
template <class Call>
struct Writes {
  template <class... A>
  decltype(auto) operator()(const A&... arguments) const {
    return Call{}(arguments...);
  }
};
template <class Call>
inline constexpr bool is_write = false;
template <class Call>
inline constexpr bool is_write<Writes<Call>> = true;

/// (What need not be destroyed has no memory of its own.)
template <class Call, class R>
using for_one_reader =
    std::conditional_t<std::is_trivially_destructible_v<R>, Call, OneReader<Call>>;

}  // namespace trawl::heap
