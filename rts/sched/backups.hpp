// Stragglers: sparks that a slower PE has had for long, or whose value is long on its way from far
// off, and that one with nothing to do would be done with sooner.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "rts/balance/tables.hpp"
#include "rts/inline/node.hpp"

namespace trawl::sched {

/// Which of the sparks that this PE has sent away are to be run a second time: the first value that
/// comes home counts, the other is dropped. Guarded by the PE's lock.
class Backups {
 public:
  /// `splits`: does this code make sparks itself? Such a one is done by many, and never late for
  /// itself.
  Backups(const balance::Tables& tables, std::function<bool(const heap::Code&)> splits);

  /// This spark went to `holder`. Of more than a thousand that are away the rest is not noted.
  void note(heap::Node* spark, int holder, Nanos now);

  /// One that `runner` is to run, too, or nullptr; each once. It has found nothing for `hungry`;
  /// `thread`: about what a thread takes here.
  heap::Node* take(int runner, Nanos hungry, Nanos thread, Nanos now);

  bool empty() const noexcept { return sent_.empty(); }

 private:
  struct Sent {
    heap::Node* spark;
    int holder;
    Nanos since;
  };

  bool pays(const Sent& sent, int runner, bool asked_all, Nanos thread, Nanos now) const;
  bool is_overdue(int holder, double expected, Nanos age) const;
  Nanos asking_all() const;
  double work_lately(const heap::Code& of, double usual) const;
  double work_of(const Sent& sent, Nanos now) const;
  void note_finished(const Sent& sent, Nanos now);
  void forget_finished(Nanos now);

  const balance::Tables& tables_;
  std::function<bool(const heap::Code&)> splits_;
  std::vector<Sent> sent_;  // oldest first
  // What is known of the last function of which one came home from near by, in ns at speed 1.
  const heap::Code* lately_of_ = nullptr;
  double lately_ = 0;       // about how much work those were
  double longest_yet_ = 0;  // so much those of them have had that are still near by
};

}  // namespace trawl::sched
