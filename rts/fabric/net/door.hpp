// Where others come in: at the main PE all, at any other those that were started after it.
#pragma once

#include <list>
#include <optional>
#include <vector>

#include "rts/fabric/net/link.hpp"
#include "rts/fabric/net/meeting.hpp"

namespace trawl::fabric::net {

/// Somebody who has proved to belong to the run, and what was said first.
struct Guest {
  Link link;
  Endpoint from;
  Frame kind;
  Bytes content;
};

class Door {
 public:
  Door(Socket listening, const Terms& terms) : socket_(std::move(listening)), terms_(terms) {}

  std::uint16_t port() const { return socket_.port(); }

  /// Looks who is there, waits for nobody. Who is refused is named on standard error. Strangers can
  /// take no more than a few connections of limited time, and a bounded number of lines.
  std::optional<Guest> look(Nanos now);
  /// Is anybody there who has not been heard yet?
  bool has_callers() const noexcept { return !meetings_.empty() || !met_.empty(); }

 private:
  struct Met {
    Link link;
    Endpoint from;
    Nanos give_up;
  };

  void answer(Nanos now);
  void refuse(const Endpoint& who, const std::string& why);
  std::optional<Guest> listen(Nanos now);

  Socket socket_;
  Terms terms_;
  std::list<Meeting> meetings_;
  std::list<Met> met_;  // and not heard yet
  int refusals_ = 0;
};

}  // namespace trawl::fabric::net
