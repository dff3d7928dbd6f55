// A graph of what a recording tells, event by event: what its events mean, whatever bytes they
// were.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "profiles/replay/graph.hpp"
#include "profiles/replay/read_recording.hpp"
#include "profiles/replay/shares.hpp"
#include "rts/trace/recording.hpp"

namespace replay {

/// Makes a graph of what is told, event by event. Throws BadBytes for what makes no sense.
class GraphBuilder {
 public:
  explicit GraphBuilder(Grain grain) : grain_(grain) { open_.emplace_back(); }

  void tell(trawl::trace::Did what, const std::uint64_t* numbers);

  /// Of functions 1, 2, ...
  void names(std::vector<std::string> all);
  void sites(std::string file, std::string build, std::vector<Site> all);
  void shared(Plain<std::uint64_t> bytes);
  /// No more will be told: what has begun ends here.
  void cut_short();
  bool is_cut() const noexcept { return is_cut_; }
  /// Values that tasks share, of which nothing was told.
  bool lacks_shared() const noexcept;
  Graph take();

 private:
  static constexpr Number none = ~Number{0};
  static constexpr Number begun = none - 1;
  static constexpr Number in_place = none - 2;  // it is no task any more
  static constexpr std::uint64_t most_functions = trawl::trace::recording::most_block;

  struct Open {
    Number task = 0;        // by its number in the file
    std::size_t first = 0;  // of its ops among those of open tasks
    std::uint32_t arguments = 0;
    Number function = 0;
    std::uint32_t referred = 0;  // shared values
    std::uint32_t kept = 0;
    Placing placing = Placing::none;
    // When it began:
    Number named = 0;       // tasks
    std::size_t done = 0;   // those in the graph
    std::uint64_t ops = 0;  // theirs
    std::int64_t left = 0;  // sparks that nobody had forced
    Nanos sum = 0;          // all work
    bool is_in_placed = false;
    bool concerns = false;  // others: it has forced a spark that it did not make, or placed one
  };
  /// Sparks that may become one: of one function, by one maker, for one who forces them.
  struct Group {
    Number maker = none, function = 0;
    Number head = 0;  // in the graph
    std::uint32_t size = 0;
  };
  struct Named {
    Number by;  // who named it
    Step step;  // spawn, par, place, or eval
    std::uint16_t site;
    Number done;  // its number in the graph
  };

  void end_all();
  void name_functions();
  void work(std::uint64_t time);
  void offer(Step step, std::uint64_t site);
  void name(Step step, std::uint16_t site = 0);
  // The root is 0, and not in named_.
  Number newest() const;
  void need(Step step, std::uint64_t back, std::uint64_t arguments, std::uint64_t function);
  void place(std::uint64_t site);
  void refer(std::uint64_t value);
  void use(std::uint64_t back);
  void keep(std::uint64_t bytes);
  void end(std::uint64_t result);

  /// Has nobody else to do with what is in it?
  bool closed(const Open& task) const;

  /// Forgets the task and all under it: the one that needs it does their work.
  void evaluate_in_place(const Open& task);
  void forget(const Open& task);
  static std::uint32_t together(std::uint64_t one, std::uint64_t other);

  /// Has it become a part of one before it? Else it may be the first of some.
  bool joined_group(const Open& task, std::uint32_t result);

  // By the order of their ends, and without what nobody needed.
  void renumber();

  Grain grain_;
  Graph graph_;
  std::unordered_map<Number, Group> groups_;  // the last of each task that forces some
  std::int64_t left_ = 0;                     // sparks that nobody has forced
  Plain<Op> ops_;                             // of open tasks
  Plain<Named> named_;
  Plain<Reference> references_;
  std::vector<Open> open_;
  std::size_t placers_ = 0;  // of these, from the root on: all of them concern others
  Nanos sum_ = 0;
  bool is_cut_ = false;
};

}  // namespace replay
