// What a running thread may ask for: a node's value, a spark for others. The slow halves of lang's
// force, fetch, par, spawn and sync.
#pragma once

#include <cstddef>
#include <span>

#include "node.hpp"
#include "owner_end.hpp"

namespace trawl::heap {
struct Failure;
}

namespace trawl::sched {

/// That of the pool of the worker under the calling code; nullptr outside of a run.
extern constinit thread_local OwnerEnd* this_owner_end __attribute__((tls_model("initial-exec")));

[[noreturn, gnu::cold]] void refuse_outside_of_a_run();

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
// What checks each access asks for the address first, and may keep it, while the thread goes on on
// another OS thread.
[[gnu::noipa]] OwnerEnd& owner_end_here();
#else
/// Good until the calling code blocks; throws Error outside of a run.
inline OwnerEnd& owner_end_here() {
  OwnerEnd* const end = this_owner_end;
  if (end == nullptr) [[unlikely]]
    refuse_outside_of_a_run();
  return *end;
}
#endif

/// Returns when `node` has its value or exception: evaluates it, or waits for whoever does
/// (evaluate-and-die). Throws Error outside of a run.
void demand(heap::Node* node);

/// Returns when one of the nodes has finished, or may have: waits for whoever evaluates them, and
/// evaluates those that come here, or have come back. Throws Error outside of a run.
void demand_any(std::span<heap::Node* const> nodes);

/// Evaluates `node` if nobody has begun with it; else it returns false at once, and waits for
/// nobody. Throws Error outside of a run.
bool evaluate_if_left(heap::Node* node);

/// Nobody needs the value of `node` any more: if nobody has begun with it, it has failed with
/// `why`, and is no spark any longer.
void abandon(heap::Node* node, heap::Failure* why);

/// Does the calling code, or what called it, initialise a function's static variable? Others wait
/// for that, so nobody may block in there: what would have to, throws Error.
bool in_static() noexcept;

/// Asks for `node` if it lives on another PE; doesn't wait. Throws Error outside of a run.
void fetch(heap::Node* node);

/// Offers `node` to whoever has nothing to do. Throws Error outside of a run.
void spark(heap::Node* node);

/// For a call that could not simply be taken back. nullptr: it is the caller's after all, who
/// copies the arguments and then discards the slot. Otherwise somebody else has taken it, and this
/// is its copy in the heap. Throws Error if `slot` is nullptr: the call was synced before.
heap::Node* reclaim(OwnerEnd& pool, Slot* slot);

/// Nobody but the caller refers to `node`, which has its value: no message takes that along from
/// now on.
void hide(heap::Node* node);

/// `spark` for a thunk that nobody else refers to: sparks are weak, so it is kept until somebody
/// has begun with it, or with `purpose`, the last of what it is to evaluate, or thousands have come
/// after it.
void spark_kept(heap::Node* node, const heap::Node* purpose);

/// In a simulation others have their turn: for code that is long, and shares its work with them by
/// memory alone.
void let_others_run();

/// How many sparks more find room here, of so many that are wanted; outside of a run any number.
std::size_t room_for_sparks(std::size_t wanted) noexcept;

/// What the running call is a part of, as it was said by enter_scope; nullptr: nothing. It goes
/// with the thread; what the thread evaluates besides, as it forces it, is a part of nothing.
const void* scope();
/// Gives what was there before. `scope` is kept alive by the caller.
const void* enter_scope(const void* scope);

/// Makes `call(argument)` on an OS thread that is no worker; until it has ended the running thread
/// waits, and its worker has time for others.
void call_aside(void (*call)(void*), void* argument);

}  // namespace trawl::sched
