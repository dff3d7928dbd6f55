#include <exception>

#include <trawl/dist/element_error.hpp>
#include <trawl/exception.hpp>
#include <trawl/inline/error.hpp>
#include <trawl/inline/places.hpp>

namespace trawl {

ElementError::~ElementError() = default;

namespace detail {

TRAWL_EXCEPTION(ElementError);

void throw_from(const std::string& where) {
  heap::pass_lost();
  try {
    throw;
  } catch (const ElementError&) {
    throw;  // of what this one needs: it says where
  } catch (const std::bad_alloc&) {
    throw ElementError(where + ": PE " + std::to_string(sched::pe_here()) +
                       " is out of memory: more PEs, or a larger --trawl:heap-max, make room");
  } catch (const std::exception& e) {
    throw ElementError(where + ": " + e.what());
  } catch (...) {
    throw ElementError(where + ": an exception of unknown type");
  }
}

void throw_of_shard(std::string_view skeleton, std::string_view function, std::size_t shard) {
  throw_from(std::string(skeleton) + "<" + std::string(function) + ">: shard " +
             std::to_string(shard));
}

}  // namespace detail
}  // namespace trawl
