// Divide and conquer: a call that somebody else may make meanwhile (Satin's spawn and sync).
#pragma once

#include <tuple>
#include <utility>

#include "lang/check.hpp"
#include "lang/lazy.hpp"
#include "rts/heap/thunk.hpp"
#include "rts/sched/demand.hpp"

namespace trawl {

/// A spark that lives in its caller's frame. It costs about as much as a call; only when another
/// worker or PE takes it is it copied into the heap. It leaves the frame with it: what was not
/// synced is withdrawn, also when an exception passes.
template <class Call, class R, class... A>
class Spawned {
 public:
  template <class... G>
  explicit Spawned(std::in_place_t, G&&... given) : job_(std::forward<G>(given)...) {
    sched::Worker& worker = here();
    ++worker.frames;
    if (!worker.pool.push(spark())) worker.counters.add(Count::sparks_ignored);
  }
  Spawned(const Spawned&) = delete;
  Spawned& operator=(const Spawned&) = delete;
  ~Spawned() {
    if (!synced_) withdraw();
  }

  /// The result, from whoever made the call: here and now, if nobody has. To be called once. Throws
  /// what the function threw.
  R sync() {
    const bool ours = sched::this_worker->pool.take_back(spark());
    R result = ours ? call() : sync_taken();
    // Not before the call: here the compiler sees that the destructor has nothing to do. Where the
    // call throws, withdrawing finds nothing to withdraw.
    synced_ = true;
    return result;
  }

 private:
  struct Job : sched::Frame {
    std::tuple<A...> arguments;

    template <class... G>
    explicit Job(G&&... given)
        : Frame(heap::thunk_code<Call, R, A...>), arguments(std::forward<G>(given)...) {}
  };

  static sched::Worker& here() {
    if (sched::this_worker == nullptr) [[unlikely]]
      return sched::worker_here();
    return *sched::this_worker;
  }

  sched::Spark spark() noexcept { return sched::Spark(static_cast<sched::Frame*>(&job_)); }

  R call() {
    return std::apply([](const A&... arguments) -> R { return Call{}(arguments...); },
                      std::as_const(job_.arguments));
  }

  [[gnu::noinline]] R sync_taken() {
    if (sched::reclaim(*sched::this_worker, job_)) return call();
    return force(Lazy<R>::refer_to(job_.promoted.load(std::memory_order_acquire)));
  }

  [[gnu::noinline]] void withdraw() noexcept {
    sched::Worker& worker = *sched::this_worker;
    if (!worker.pool.take_back(spark())) sched::reclaim(worker, job_);
  }

  Job job_;
  bool synced_ = false;
};

namespace detail {

template <class Call, class R, class... A>
struct MakeSpawned {
  using type = Spawned<Call, R, A...>;
};

struct RefusedSpawn {
  Refused sync() { return {}; }
};

template <class S, bool Ok = S::ok>
struct spawned_of {
  using type = RefusedSpawn;
  template <class... G>
  static type make(G&&...) {
    return {};
  }
};
template <class S>
struct spawned_of<S, true> {
  using type = typename S::template Apply<MakeSpawned>::type;
  template <class... G>
  static type make(G&&... given) {
    return type(std::in_place, std::forward<G>(given)...);
  }
};

}  // namespace detail

/// `auto x = spawn<f>(arguments...); ...; use(x.sync());` — somebody who has nothing to do may make
/// the call meanwhile. F as for `lazy`.
template <auto F, class... A>
[[nodiscard("keep what spawn returns, and sync() it")]] auto spawn(A&&... arguments) {
  using Plain = std::remove_cv_t<decltype(F)>;
  using Call = std::conditional_t<std::is_class_v<Plain>, Plain, Function<F>>;
  return detail::spawned_of<detail::suspension<Call, A...>>::make(std::forward<A>(arguments)...);
}

/// The same for a lambda or another stateless function object.
template <class F, class... A>
[[nodiscard("keep what spawn returns, and sync() it")]] auto spawn(F, A&&... arguments) {
  return detail::spawned_of<detail::suspension<F, A...>>::make(std::forward<A>(arguments)...);
}

}  // namespace trawl
