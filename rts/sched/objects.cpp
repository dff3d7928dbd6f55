#include "rts/sched/objects.hpp"

#include <algorithm>
#include <mutex>
#include <new>
#include <utility>

#include "rts/heap/code.hpp"
#include "rts/inline/demand.hpp"
#include "rts/inline/no_nodes.hpp"
#include "rts/inline/promise.hpp"
#include "rts/inline/thunk.hpp"
#include "rts/sched/telling.hpp"
#include "rts/sched/worker.hpp"

namespace trawl::sched {
namespace {

/// What is promised to who waits for a write.
struct NextWrite {
  bool come = true;
};

struct CatchUp {
  bool operator()(const SharedName& object) const {
    worker_here().host().objects().answer_call(object);
    return true;
  }
};

constexpr auto holds_lazy =
    "an argument of a write, or the first value of a Shared, holds a Lazy: each PE would have its "
    "own; pass what it is when it has been forced";

Bytes packed_arguments(heap::Node* call) {
  Writer bytes;
  heap::NoNodes none(holds_lazy);
  heap::Packer packer(bytes, none);
  call->code().pack_arguments(call, packer);
  return bytes.take();
}

// What has thrown for want of memory was not made as it was elsewhere.
void make(Worker& worker, heap::Node* call) {
  if (worker.simulated()) call->mark(heap::Node::waited);
  evaluate_apart(worker, call);
  if (call->state() != heap::State::exception) return;
  try {
    heap::throw_failure(call);
  } catch (const std::bad_alloc&) {
    current_worker()->host().fail_without_memory();
  } catch (...) {  // is for who forces it
  }
}

// Of a simulated PE: what has come by now is there.
Objects& objects_now() {
  worker_here().let_others_run(Moment::in_thread);
  return worker_here().host().objects();
}

}  // namespace

Objects::Objects(balance::Tables& tables, bool some_may_come, heap::SharedHeap& shared_heap,
                 fabric::Outbox& outbox, std::function<void(heap::Node*)> add_thread)
    : tables_(tables),
      self_(tables.self()),
      pes_(tables.size()),
      some_may_come_(some_may_come),
      shared_heap_(shared_heap),
      outbox_(outbox),
      add_thread_(std::move(add_thread)) {}

Objects::~Objects() {
  for (const auto& object : objects_) let_go(object.second->version);
}

SharedName Objects::make() {
  const std::lock_guard lock(lock_);
  return {static_cast<std::uint32_t>(self_), ++made_};
}

Objects::Object& Objects::at(const SharedName& name) {
  auto& object = objects_[name.key()];
  if (!object) {
    object = std::make_unique<Object>();
    tables_.note_objects();
  }
  return *object;
}

Objects::Object& Objects::find(const SharedName& name) {
  const std::lock_guard lock(lock_);
  return at(name);
}

// ---- messages

void Objects::write(const SharedName& name, heap::Node* call) {
  const auto arguments = packed_arguments(call);
  Object& object = find(name);
  const auto self = static_cast<std::uint32_t>(self_);
  const bool home = name.pe == self;
  const Write message{name, home ? ++object.places_given : 0, self, ++object.tickets,
                      call->code().id};
  call->settle(heap::State::unevaluated, heap::State::black_hole);
  if (home) {
    tell_others(message, arguments);
    add(message, call);  // the caller catches up
    return;
  }
  object.own.emplace(message.ticket, call);
  auto out = outbox_.open(Write::kind, static_cast<int>(name.pe));
  message.write(out);
  out.raw(arguments.data(), arguments.size());
  outbox_.send(static_cast<int>(name.pe), std::move(out));
}

void Objects::on_write(const Write& message, Reader& arguments) {
  heap::Node* const call = call_of(message, arguments.rest());
  if (message.place == 0)
    stand_in_line(message, arguments.rest(), call);
  else
    take(message, arguments.rest(), call);
}

// Messages overtake each other.
void Objects::stand_in_line(const Write& message, std::span<const std::byte> arguments,
                            heap::Node* call) {
  Object& object = find(message.object);
  Line& line = object.lines[message.writer];
  if (message.ticket <= line.placed ||
      !line.early.try_emplace(message.ticket, Early{message, call, copy_of(arguments)}).second)
    throw BadBytes("it has come before");
  while (!line.early.empty() && line.early.begin()->first == line.placed + 1) {
    auto next = std::move(line.early.begin()->second);
    line.early.erase(line.early.begin());
    ++line.placed;
    next.message.place = ++object.places_given;
    take(next.message, next.arguments, next.call);
  }
}

void Objects::take(const Write& message, std::span<const std::byte> arguments, heap::Node* call) {
  tell_others(message, arguments);
  if (add(message, call)) call_for_somebody(message.object);
}

// Own ones are here already.
heap::Node* Objects::call_of(const Write& message, std::span<const std::byte> arguments) {
  if (message.place != 0 && message.writer == static_cast<std::uint32_t>(self_)) {
    auto& waiting = find(message.object).own;
    const auto own = waiting.find(message.ticket);
    if (own == waiting.end()) throw BadBytes("it is a call that this PE has not made");
    heap::Node* const call = own->second;
    waiting.erase(own);
    return call;
  }
  const auto& code = heap::CodeTable::get().at(message.code);
  if (!code.writes) throw BadBytes("what it calls changes no object");
  auto* call = static_cast<heap::Node*>(heap::allocate(code.bytes));
  Reader bytes(arguments);
  heap::NoNodes none(holds_lazy);
  heap::Unpacker unpacker(bytes, none);
  code.unpack_arguments(call, unpacker);
  bytes.end();
  call->init(code, heap::State::black_hole);
  return call;
}

void Objects::tell_others(const Write& message, std::span<const std::byte> arguments) {
  sched::tell_others(
      self_, static_cast<int>(message.object.pe), pes_, some_may_come_,
      [this](int pe) { return tables_.lost(pe); },
      [&](int pe) {
        auto out = outbox_.open(Write::kind, pe);
        message.write(out);
        out.raw(arguments.data(), arguments.size());
        outbox_.send(pe, std::move(out));
      });
}

bool Objects::add(const Write& message, heap::Node* call) {
  const std::lock_guard lock(lock_);
  Object& object = at(message.object);
  if (message.place <= object.writes || !object.waiting.emplace(message.place, call).second)
    throw BadBytes("another has its place");
  return !object.being_written && object.has_next();
}

// Who waits goes on, and catches up; if nobody does, and nobody reads, a thread has to.
void Objects::call_for_somebody(const SharedName& name) {
  heap::Node* waited_for = nullptr;
  bool thread = false;
  {
    const std::lock_guard lock(lock_);
    Object& object = at(name);
    waited_for = std::exchange(object.next_write, nullptr);
    thread = waited_for == nullptr && !std::exchange(object.called, true);
  }
  if (thread) add_thread_(heap::Thunk<heap::Placed<CatchUp>, bool, SharedName>::make(name));
  if (waited_for == nullptr) return;
  heap::ResultOf<NextWrite>::put(waited_for, NextWrite());
  waited_for->settle(heap::State::black_hole, heap::State::value);
  shared_heap_.release(waited_for);
}

// ---- on a thread

heap::Node* Objects::take_next(const SharedName& name) {
  const std::lock_guard lock(lock_);
  Object& object = at(name);
  if (object.being_written || !object.has_next()) return nullptr;
  const auto next = object.waiting.begin();
  heap::Node* const call = next->second;
  object.waiting.erase(next);
  object.being_written = true;
  return call;
}

void Objects::catch_up(const SharedName& name) {
  while (heap::Node* const call = take_next(name)) {
    sched::make(worker_here(), call);
    heap::Node* waited_for = nullptr;
    {
      const std::lock_guard lock(lock_);
      Object& object = at(name);
      object.being_written = false;
      ++object.writes;
      waited_for = std::exchange(object.next_write, nullptr);
    }
    if (waited_for != nullptr) heap::keep_promise(waited_for, NextWrite());
  }
}

void Objects::answer_call(const SharedName& name) {
  {
    const std::lock_guard lock(lock_);
    at(name).called = false;
  }
  catch_up(name);
}

bool Objects::guards_wait() {
  const std::lock_guard lock(lock_);
  return std::any_of(objects_.begin(), objects_.end(),
                     [](const auto& each) { return each.second->next_write != nullptr; });
}

heap::Node* Objects::promise(Object& object) {
  if (object.next_write == nullptr) object.next_write = heap::make_promise<NextWrite>();
  return object.next_write;
}

Snapshot Objects::hold(const SharedName& name) {
  for (;;) {
    catch_up(name);
    heap::Node* next = nullptr;
    {
      const std::lock_guard lock(lock_);
      Object& object = at(name);
      if (!object.being_written && object.version != nullptr) {
        object.version->holders.fetch_add(1, std::memory_order_relaxed);
        return {object.version, object.writes};
      }
      next = promise(object);
    }
    demand(next);
  }
}

void Objects::await(const SharedName& name, std::uint64_t writes) {
  heap::Node* next = nullptr;
  {
    const std::lock_guard lock(lock_);
    Object& object = at(name);
    if (object.writes > writes || object.has_next()) return;
    next = promise(object);
  }
  demand(next);
}

Version*& Objects::version_to_write(const SharedName& name) {
  const std::lock_guard lock(lock_);
  return at(name).version;
}

// ---- what programs call

SharedName new_object() {
  return objects_now().make();
}

void write_object(const SharedName& object, heap::Node* call) {
  auto& objects = objects_now();
  auto& host = worker_here().host();
  try {
    const std::lock_guard lock(host.lock());
    objects.write(object, call);
  } catch (const std::bad_alloc&) {  // a number without a write would hold up all that follow
    host.fail_without_memory();
  }
  objects.catch_up(object);
}

Snapshot hold_object(const SharedName& object) {
  return objects_now().hold(object);
}

void await_write(const SharedName& object, std::uint64_t writes) {
  objects_now().await(object, writes);
}

Version*& version_to_write(const SharedName& object) {
  return worker_here().host().objects().version_to_write(object);
}

}  // namespace trawl::sched
