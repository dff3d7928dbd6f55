#include <array>
#include <mutex>
#include <new>

#include <gc/gc.h>
#include <gc/gc_mark.h>

#include "rts/heap/known_threads.hpp"
#include "rts/heap/weak.hpp"
#include "rts/inline/bytes.hpp"

namespace trawl::heap {
namespace {

using Link = Weak::Link;

bool hides_object(std::uintptr_t bits) noexcept {
  return bits >> (8 * sizeof bits - 1) != 0;
}

/// All links of the process, in blocks that are never given back: the collector goes through them
/// while others make and free some.
class Links {
 public:
  Link* make(std::uintptr_t bits) {
    const std::lock_guard lock(lock_);
    if (free_ == nullptr) add_block();
    Link* link = free_;
    free_ = reinterpret_cast<Link*>(link->load(std::memory_order_relaxed));
    link->store(bits, std::memory_order_relaxed);
    return link;
  }

  void free(Link* link) noexcept {
    const std::lock_guard lock(lock_);
    link->store(reinterpret_cast<std::uintptr_t>(free_), std::memory_order_relaxed);
    free_ = link;
  }

  bool cutting() const noexcept { return cutting_.load(std::memory_order_acquire); }
  void begin_to_cut() noexcept { cutting_.store(true, std::memory_order_relaxed); }

  // A link may be freed and made anew, for an object that lives, since it was looked at.
  void cut() noexcept {
    for (auto* block = first_.load(std::memory_order_acquire); block != nullptr;
         block = block->next)
      for (Link& link : block->links) {
        auto bits = link.load(std::memory_order_relaxed);
        if (hides_object(bits) && GC_is_marked(reinterpret_cast<void*>(~bits)) == 0)
          link.compare_exchange_strong(bits, 0, std::memory_order_relaxed);
      }
    cutting_.store(false, std::memory_order_release);
  }

 private:
  struct Block {
    std::array<Link, 1023> links;
    Block* next;
  };

  void add_block() {
    auto* block = new (PlainAllocator<Block>().allocate(1)) Block();
    for (Link& link : block->links) {
      link.store(reinterpret_cast<std::uintptr_t>(free_), std::memory_order_relaxed);
      free_ = &link;
    }
    block->next = first_.load(std::memory_order_relaxed);
    first_.store(block, std::memory_order_release);
  }

  std::mutex lock_;
  Link* free_ = nullptr;  // each refers to the next
  std::atomic<Block*> first_{nullptr};
  std::atomic<bool> cutting_{false};  // from when the dead have been found
};

constinit Links links;

}  // namespace

// The collector's lock is held until a collection that has been counted has also ended.
bool collected_since(std::uint64_t& count) noexcept {
  if (GC_get_gc_no() == count) return false;
  with_collector_lock([&count] { count = GC_get_gc_no(); });
  return true;
}

Weak::~Weak() {
  if (may_die()) links.free(link_);
}

void Weak::let_die() {
  static_assert(sizeof(Link) == sizeof(void*) && Link::is_always_lock_free);
  link_ = links.make(~reinterpret_cast<std::uintptr_t>(object_.reveal()));
}

// See "Weak references" in README.md.
void* Weak::get() const noexcept {
  void* object = object_.reveal();
  asm volatile("" : "+r"(object) : : "memory");  // from here on the collector sees it
  if (links.cutting()) with_collector_lock([] {});
  return dead() ? nullptr : object;
}

void begin_to_cut_links() noexcept {
  links.begin_to_cut();
}

void cut_links_to_the_dead() noexcept {
  links.cut();
}

void on_death(void* object, void (*gone)(void*, void*), void* client) {
  GC_register_finalizer_no_order(object, gone, client, nullptr, nullptr);
}

void run_finalisers() {
  if (GC_should_invoke_finalizers()) GC_invoke_finalizers();
}

void destroy_the_dead() {
  GC_gcollect();
  run_finalisers();
}

}  // namespace trawl::heap
