#include "rts/heap/failure.hpp"

#include <cstdlib>
#include <memory>
#include <new>
#include <string_view>

#include <cxxabi.h>

#include "rts/heap/collect.hpp"
#include "rts/heap/storage.hpp"
#include "rts/heap/weak.hpp"

namespace trawl::heap {
namespace {

std::string demangled(const std::type_info& type) {
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> name(
      abi::__cxa_demangle(type.name(), nullptr, nullptr, &status), &std::free);
  return status == 0 ? name.get() : type.name();
}

Failure* make(std::exception_ptr error, const std::string& type_name, const std::string& message) {
  void* memory = allocate(sizeof(Failure));
  const StorageScope scope(Storage::owned);
  auto* failure = new (memory) Failure{std::move(error), type_name, message};
  // The exception object itself is counted by reference, outside the heap.
  on_death(
      failure, [](void* dead, void*) { static_cast<Failure*>(dead)->error = nullptr; }, nullptr);
  return failure;
}

template <class E>
std::exception_ptr with_message(const std::string& message) {
  return std::make_exception_ptr(E(message));
}

struct KnownType {
  std::string_view name;
  std::exception_ptr (*make)(const std::string& message);
};

constexpr KnownType known_types[] = {
    {"std::runtime_error", &with_message<std::runtime_error>},
    {"std::range_error", &with_message<std::range_error>},
    {"std::overflow_error", &with_message<std::overflow_error>},
    {"std::underflow_error", &with_message<std::underflow_error>},
    {"std::logic_error", &with_message<std::logic_error>},
    {"std::domain_error", &with_message<std::domain_error>},
    {"std::invalid_argument", &with_message<std::invalid_argument>},
    {"std::length_error", &with_message<std::length_error>},
    {"std::out_of_range", &with_message<std::out_of_range>},
    {"std::bad_alloc",
     [](const std::string&) { return std::make_exception_ptr(std::bad_alloc()); }},
};

std::exception_ptr remake(const std::string& type_name, const std::string& message) {
  for (const auto& known : known_types)
    if (known.name == type_name) return known.make(message);
  return std::make_exception_ptr(RemoteError(type_name, message));
}

// Where there is no memory to say what has failed, that is what has: in memory of its own.
Failure* failure_without_memory() {
  static Failure failure{std::make_exception_ptr(std::bad_alloc()), "std::bad_alloc",
                         "std::bad_alloc"};
  return &failure;
}

}  // namespace

Failure* current_failure() try {
  auto error = std::current_exception();
  try {
    std::rethrow_exception(error);
  } catch (const RemoteError& e) {
    return make(std::move(error), e.type_name(), e.what());
  } catch (const std::exception& e) {
    return make(std::move(error), demangled(typeid(e)), e.what());
  } catch (...) {
    return make(std::move(error), demangled(*abi::__cxa_current_exception_type()), "");
  }
} catch (const std::bad_alloc&) {
  return failure_without_memory();
}

void pack_failure(Writer& to, const Failure& failure) {
  to.put_string(failure.type_name);
  to.put_string(failure.message);
}

Failure* unpack_failure(Reader& from) {
  const auto type_name = from.get_string();
  const auto message = from.get_string();
  return make(remake(type_name, message), type_name, message);
}

}  // namespace trawl::heap
