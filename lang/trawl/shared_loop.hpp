// Loops that the workers of one PE share.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <mutex>
#include <new>
#include <vector>

#include <trawl/placed.hpp>

namespace trawl::detail {

/// Parts of a loop, which whoever helps takes one after the other.
class SharedLoop {
 public:
  explicit SharedLoop(std::size_t parts) : parts_(parts) {}
  SharedLoop(const SharedLoop&) = delete;
  SharedLoop& operator=(const SharedLoop&) = delete;

  /// Returns when there is none left to begin.
  void help() noexcept {
    for (std::size_t part; (part = next_.fetch_add(1, std::memory_order_relaxed)) < parts_;) {
      try {
        make(part);
      } catch (...) {
        note_failure(part);
      }
      sched::let_others_run();
    }
  }
  /// As who is helped: what helpers have used is a part of what this thread does.
  void take_costs() const { sched::add_used(used_by_helpers_.load(std::memory_order_relaxed)); }
  void help_another() {
    const auto before = sched::used_here();
    help();
    used_by_helpers_.fetch_add(sched::used_here() - before, std::memory_order_relaxed);
  }
  /// What the first part that failed threw.
  void rethrow() const {
    if (error_) heap::throw_kept(error_);
  }

 protected:
  ~SharedLoop() = default;

 private:
  virtual void make(std::size_t part) = 0;

  // Those that come after it are not begun; those before it all have been.
  void note_failure(std::size_t part) noexcept {
    const std::lock_guard lock(failing_);
    next_.store(parts_, std::memory_order_relaxed);
    if (part >= failed_) return;
    failed_ = part;
    error_ = std::current_exception();
    heap::keep_lost();
  }

  std::size_t parts_;
  std::atomic<std::size_t> next_{0};
  std::atomic<std::int64_t> used_by_helpers_{0};  // ns
  std::mutex failing_;
  std::size_t failed_ = SIZE_MAX;
  std::exception_ptr error_;
};

/// The thunk never leaves its PE, and the loop waits for it.
inline bool help_with(std::uintptr_t loop) {
  reinterpret_cast<SharedLoop*>(loop)->help_another();
  return true;
}

inline void run_shared(SharedLoop& loop, std::size_t parts) {
  // Who helps may not be waited for in every place.
  const bool alone = sched::this_owner_end == nullptr || sched::in_static();
  const auto workers = alone ? 1 : static_cast<std::size_t>(sched::workers_here());
  const auto helpers = std::min(workers, parts);
  std::vector<Lazy<bool>> calls;
  try {
    for (std::size_t i = 1; i < helpers; ++i) {
      calls.push_back(lazy_placed<&help_with>(reinterpret_cast<std::uintptr_t>(&loop)));
      sched::place(calls.back().node(), sched::pe_here());
    }
  } catch (const std::bad_alloc&) {  // without memory for them there are fewer
  }
  loop.help();
  for (const auto& call : calls) force(call);
  if (!calls.empty()) loop.take_costs();
  loop.rethrow();
}

/// Calls `make(part)` for all.
template <class Make>
void in_parts(std::size_t parts, Make make) {
  struct Loop final : SharedLoop {
    Loop(std::size_t its_parts, Make& its_make) : SharedLoop(its_parts), make_part(its_make) {}
    void make(std::size_t part) override { make_part(part); }
    Make& make_part;
  };
  Loop loop(parts, make);
  run_shared(loop, parts);
}

/// By n alone, so that results are the same bits for any number of workers.
inline std::size_t parts_of(std::size_t n) {
  constexpr std::size_t most = 256;
  return std::min(n, most);
}
inline std::size_t part_begin(std::size_t n, std::size_t parts, std::size_t i) {
  return n / parts * i + std::min(i, n % parts);
}

}  // namespace trawl::detail
