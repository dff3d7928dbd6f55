#include "rts/heap/failure.hpp"

#include <algorithm>
#include <any>
#include <cstdlib>
#include <functional>
#include <memory>
#include <new>
#include <optional>
#include <variant>

#include <cxxabi.h>

#include "rts/heap/collect.hpp"
#include "rts/heap/weak.hpp"
#include "rts/inline/error.hpp"
#include "rts/inline/no_nodes.hpp"
#include "rts/inline/thunk.hpp"

namespace trawl::heap {
namespace {

std::string demangled(const std::type_info& type) {
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> name(
      abi::__cxa_demangle(type.name(), nullptr, nullptr, &status), &std::free);
  return status == 0 ? name.get() : type.name();
}

// Types enter themselves during static initialisation.
std::vector<const ExceptionType*>& types_entered() {
  static std::vector<const ExceptionType*> types;
  return types;
}

template <class E>
const ExceptionType with_message(typeid(E), nullptr, [](const std::string& message, Unpacker&) {
  return std::make_exception_ptr(E(message));
});
template <class E>
const ExceptionType without_message(typeid(E), nullptr, [](const std::string&, Unpacker&) {
  return std::make_exception_ptr(E());
});
const ExceptionType error_of_ours(
    typeid(Error),
    [](Packer& to, const std::exception_ptr& error) {
      try {
        std::rethrow_exception(error);
      } catch (const Error& e) {
        to.put(e.exit_code());
      }
    },
    [](const std::string& message, Unpacker& contents) {
      return std::make_exception_ptr(Error(message, contents.in().get<int>()));
    });

[[maybe_unused]] const ExceptionType* const standard[] = {
    &with_message<std::runtime_error>,
    &with_message<std::range_error>,
    &with_message<std::overflow_error>,
    &with_message<std::underflow_error>,
    &with_message<std::logic_error>,
    &with_message<std::domain_error>,
    &with_message<std::invalid_argument>,
    &with_message<std::length_error>,
    &with_message<std::out_of_range>,
    &without_message<std::exception>,
    &without_message<std::bad_alloc>,
    &without_message<std::bad_array_new_length>,
    &without_message<std::bad_cast>,
    &without_message<std::bad_typeid>,
    &without_message<std::bad_exception>,
    &without_message<std::bad_any_cast>,
    &without_message<std::bad_function_call>,
    &without_message<std::bad_optional_access>,
    &without_message<std::bad_variant_access>,
    &without_message<std::bad_weak_ptr>,
    &error_of_ours,
};

template <class Is>
const ExceptionType* find_type(Is is) {
  const auto& types = types_entered();
  const auto found =
      std::find_if(types.begin(), types.end(), [&](auto* each) { return is(*each); });
  return found != types.end() ? *found : nullptr;
}

const ExceptionType* type_handled() {
  const std::type_info* type = abi::__cxa_current_exception_type();
  return find_type(
      [type](const ExceptionType& each) { return type != nullptr && each.type == *type; });
}

RemoteError as_remote() {
  try {
    throw;
  } catch (const RemoteError& e) {
    return e;
  } catch (const std::exception& e) {
    return {demangled(typeid(e)), e.what()};
  } catch (...) {
    const std::type_info* type = abi::__cxa_current_exception_type();
    return {type != nullptr ? demangled(*type) : "unknown", ""};
  }
}

Failure* make(std::exception_ptr error, const std::string& type_name, const std::string& message,
              const ExceptionType* type) {
  void* memory = allocate(sizeof(Failure));
  const StorageScope scope(Storage::owned);
  auto* failure = new (memory) Failure{std::move(error), type_name, message, type};
  // The exception object itself is counted by reference, outside the heap.
  on_death(
      failure, [](void* dead, void*) { static_cast<Failure*>(dead)->error = nullptr; }, nullptr);
  return failure;
}

// An exception is in memory that the collector doesn't see.
constexpr auto holds_lazy = "an exception can't hold a Lazy";

// Where there is no memory to say what has failed, that is what has: in memory of its own.
Failure* failure_without_memory() {
  static Failure failure{std::make_exception_ptr(std::bad_alloc()), "std::bad_alloc",
                         "std::bad_alloc", &without_message<std::bad_alloc>};
  return &failure;
}

}  // namespace

/// Ends evaluations that need what is lost, up to one that can be run again. If a function catches
/// it and goes on, its result is worth nothing.
class LostValue {
 public:
  LostValue() = default;
  LostValue(const LostValue& other) noexcept : seen_(other.seen_) { other.seen_ = true; }
  LostValue& operator=(const LostValue&) = delete;
  ~LostValue() {
    if (!seen_) note_lost_ignored();
  }
  void see() const noexcept { seen_ = true; }

 private:
  mutable bool seen_ = false;
};

bool handles_lost() {
  const std::type_info* type = abi::__cxa_current_exception_type();
  return type != nullptr && *type == typeid(LostValue);
}

// It is an outcome from now on.
bool takes_lost() {
  if (!handles_lost()) return false;
  try {
    throw;
  } catch (const LostValue& lost) {
    lost.see();
  }
  return true;
}

ExceptionType::ExceptionType(const std::type_info& its_type,
                             void (*its_write)(Packer&, const std::exception_ptr&),
                             std::exception_ptr (*its_make)(const std::string&, Unpacker&))
    : name(demangled(its_type)), type(its_type), write(its_write), make(its_make) {
  types_entered().push_back(this);
}

std::vector<std::string_view> exceptions_that_travel() {
  std::vector<std::string_view> names;
  for (const ExceptionType* type : types_entered()) names.emplace_back(type->name);
  std::sort(names.begin(), names.end());
  return names;
}

Failure* lost_failure() {
  static Failure failure{nullptr, "lost", "lost with a PE", nullptr};
  return &failure;
}

bool is_lost(Node* node) {
  return node->state() == State::exception && failure_of(node) == lost_failure();
}

bool fail(Node* node) {
  auto* const failure = current_failure();
  if (failure == lost_failure() && can_be_remade(node)) return false;
  failure_of(node) = failure;
  finish(node, State::exception);
  return true;
}

Failure* current_failure() try {
  if (takes_lost()) return lost_failure();
  const ExceptionType* type = type_handled();
  const RemoteError remote = as_remote();
  auto error = type != nullptr ? std::current_exception() : std::make_exception_ptr(remote);
  return make(std::move(error), remote.type_name(), remote.what(), type);
} catch (const std::bad_alloc&) {
  return failure_without_memory();
}

void end_if_lost() {
  if (takes_lost()) note_lost_needed();
}

void throw_as_value() {
  if (type_handled() != nullptr || handles_lost()) throw;
  throw as_remote();
}

void pass_lost() {
  if (handles_lost()) throw;
}

void keep_lost() noexcept {
  takes_lost();
}

// As it was kept it was seen: who catches this one may go on no more than who caught that one.
void throw_kept(const std::exception_ptr& kept) {
  try {
    std::rethrow_exception(kept);
  } catch (const LostValue&) {
    throw LostValue();
  }
}

void throw_failure(Node* node) {
  if (failure_of(node) == lost_failure()) throw LostValue();
  std::rethrow_exception(failure_of(node)->error);
}

void pack_failure(Writer& to, const Failure& failure) {
  to.put_string(failure.type_name);
  to.put_string(failure.message);
  if (failure.type == nullptr || failure.type->write == nullptr) return;
  NoNodes nothing(holds_lazy);
  Packer packer(to, nothing);
  failure.type->write(packer, failure.error);
}

Failure* unpack_failure(Reader& from) {
  const auto name = from.get_string();
  const auto message = from.get_string();
  const auto* type = find_type([&name](const ExceptionType& each) { return each.name == name; });
  NoNodes nothing(holds_lazy);
  Unpacker contents(from, nothing);
  auto error = type != nullptr ? type->make(message, contents)
                               : std::make_exception_ptr(RemoteError(name, message));
  return make(std::move(error), name, message, type);
}

}  // namespace trawl::heap
