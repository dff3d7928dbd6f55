// A program's own exceptions, on whichever PE they are caught.
#pragma once

#include <trawl/inline/exception.hpp>

#define TRAWL_DETAIL_JOIN_(a, b) a##b
#define TRAWL_DETAIL_JOIN(a, b) TRAWL_DETAIL_JOIN_(a, b)

/// `TRAWL_EXCEPTION(MyError);` beside the type, outside of functions: force and sync throw it as
/// itself, contents included, wherever it was thrown. It has a default constructor and a
/// serialize(), or is a std::runtime_error or std::logic_error that only has a message.
#define TRAWL_EXCEPTION(...)                                                             \
  [[maybe_unused]] static const auto& TRAWL_DETAIL_JOIN(trawl_exception_, __COUNTER__) = \
      ::trawl::heap::exception_of<__VA_ARGS__>
