// Messages of which both ends are in the logs: how long they were on their way, between whom.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "profiles/read.hpp"
#include "profiles/report/longest.hpp"
#include "rts/inline/bytes.hpp"
#include "rts/trace/format.hpp"

namespace trawl::profile {

struct Message {
  Nanos length() const { return end - begin; }

  Nanos begin = 0, end = 0;
  int from = 0, to = 0;
  std::uint32_t bytes = 0;
  std::uint16_t kind = 0;
};

/// Those from one cluster to another, or within one; times in ns.
struct Link {
  static constexpr std::size_t parts = 100;  ///< of the time
  struct Part {
    std::uint64_t number = 0;  ///< looked at
    double sum = 0;
    std::uint64_t bytes = 0;  ///< of all that were sent
  };

  std::string from, to;
  std::uint64_t number = 0;  ///< all that were sent
  std::uint64_t bytes = 0;   ///< in them
  double median = 0;         ///< of those that were looked at
  double slow = 0;           ///< one of a hundred takes longer
  double rate = 0;           ///< bytes a second in the part in which most were sent
  double carries = 0;        ///< bytes a second that it can, as long messages show; 0: unknown
  double busy = 0;           ///< for such a share of the time, if `carries` is known
  std::vector<Part> over_time = std::vector<Part>(parts);
};

/// "inside a", or "from a to b"; who has no cluster is one of "PEs".
std::string link_name(const std::string& from, const std::string& to);

struct Messages {
  std::vector<Link> links;     ///< those with the most messages; `most_links` at most
  double part = 0;             ///< of the time, in seconds: what a link's parts are of
  std::vector<Message> drawn;  ///< the longest under way of each part of the time
  std::uint64_t seen = 0;      ///< messages that were sent
  std::uint64_t looked_at = 0;
  std::uint64_t back_in_time = 0;  ///< of these, arrived before they were sent: clocks differ
};

inline constexpr std::size_t most_links = 24;

/// Of a window of time. Of more than a million messages some are looked at.
class MessageEnds {
 public:
  MessageEnds(const Run& run, Nanos from, Nanos to);

  void see(int pe, const trace::Event& event);
  Messages result();

 private:
  struct End {
    std::uint64_t name;
    Nanos time;
    std::int32_t pe;  // that has noted it
    std::uint32_t bytes;
    std::uint16_t kind;
  };
  struct Taken {
    Nanos begin, end;
    std::uint32_t bytes;

    Nanos time() const { return end - begin; }
  };
  struct Way {
    Link link;
    std::vector<Taken> taken;
  };
  static void sum_up(Way& way);
  /// Sets what it carries, and gives for how many seconds it was busy, as far as was looked at.
  static double judge_load(Way& way);

  int cluster_of(std::uint32_t pe) const { return pe < cluster_.size() ? cluster_[pe] : 0; }
  void thin_out();
  void look_at(const Message& message, Longest<Message>& drawn);
  std::size_t part(Nanos time, std::size_t parts) const;

  Nanos from_, to_;
  std::vector<int> cluster_;  // by PE
  std::vector<std::string> names_;
  std::vector<End> sent_, received_;
  std::uint64_t one_of_ = 1;
  std::map<std::pair<int, int>, Way> ways_;
  Messages messages_;
};

}  // namespace trawl::profile
