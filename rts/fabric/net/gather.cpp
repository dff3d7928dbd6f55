#include "rts/fabric/net/gather.hpp"

#include <algorithm>
#include <chrono>
#include <string>

#include "rts/fabric/launcher.hpp"
#include "rts/host/clocks.hpp"
#include "rts/inline/error.hpp"

namespace trawl::fabric::net {
namespace {

std::chrono::nanoseconds longest(Wait wait) {
  constexpr Nanos years = Nanos{3'000'000'000} * 1'000'000'000;
  return std::chrono::nanoseconds(std::min(wait.patience, years));
}

/// Those who have come to the main PE and wait for the others.
class Waiting {
 public:
  void take(Guest guest) {
    const auto member = member_of(guest);
    if (!member) return;  // who gets no answer sees that the connection is closed
    members.push_back(*member);
    links.push_back(std::move(guest.link));
  }

  /// Who has gone again.
  void look() {
    for (std::size_t i = 0; i < links.size();) {
      links[i].fill();
      if (!links[i].ended()) {
        ++i;
        continue;
      }
      links.erase(links.begin() + static_cast<std::ptrdiff_t>(i));
      members.erase(members.begin() + static_cast<std::ptrdiff_t>(i));
    }
  }

  std::vector<Member> members;
  std::vector<Link> links;
};

/// One of the handshakes with where the main PE may be comes about. Throws Error with what the last
/// said if none does.
class Calls {
 public:
  Calls(const std::vector<Endpoint>& main, const Terms& terms) {
    for (const auto& endpoint : main)
      calls_.push_back(Meeting::knocking(terms, endpoint, wall_time()));
  }

  bool step() {
    for (auto call = calls_.begin(); call != calls_.end();) {
      const auto state = call->step(wall_time());
      if (state == Meeting::State::met) {
        at = call->other();
        link = call->take_link();
        return true;
      }
      if (state == Meeting::State::going_on) {
        ++call;
        continue;
      }
      // Another address may lead to the right one still: this one may be of another host.
      if (call->refused())
        why_ = "refused by " + call->other().text() + ": " + call->why();
      else if (why_.empty())
        why_ = "nobody can be met at " + call->other().text() + ": " + call->why();
      call = calls_.erase(call);
    }
    if (calls_.empty()) throw Error(why_, 2);
    return false;
  }

  Endpoint at;
  std::optional<Link> link;

 private:
  std::list<Meeting> calls_;
  std::string why_;
};

}  // namespace

// Who has come from this host is found by others where they found this one.
std::optional<Member> member_of(const Guest& guest) {
  if (guest.kind != Frame::card) return std::nullopt;
  try {
    auto member = read_member(guest.content);
    member.at.address = guest.from.is_loopback() ? Endpoint().address : guest.from.address;
    member.is = Member::Is::there;
    return member;
  } catch (const BadBytes&) {
    return std::nullopt;
  }
}

Gathered await(Socket listening, int pes, int seats, const Member& own, const Terms& terms,
               Wait wait) {
  Door door(std::move(listening), terms);
  Waiting waiting;
  const auto others = static_cast<std::size_t>(pes) - 1;
  const bool all = wait_until(
      [&] {
        const auto now = wall_time();
        while (waiting.links.size() < others) {
          auto guest = door.look(now);
          if (!guest) break;
          waiting.take(std::move(*guest));
        }
        waiting.look();
        if (is_launcher_gone()) throw Error("trawl-run, which started this PE, is gone");
        return waiting.links.size() == others;
      },
      longest(wait));
  if (!all)
    throw Error("of " + std::to_string(pes) + " PEs only " +
                std::to_string(waiting.links.size() + 1) +
                " have come in time (--trawl:start-wait)");
  Gathered gathered;
  gathered.members.push_back(own);
  gathered.admits = seats > pes;
  gathered.links.resize(static_cast<std::size_t>(seats));
  std::size_t pe = 0;
  for (const auto at : numbering(own, waiting.members)) {
    gathered.members.push_back(waiting.members[at]);
    gathered.links[++pe] = std::move(waiting.links[at]);
  }
  Member nobody;
  nobody.is = Member::Is::to_come;
  gathered.members.resize(static_cast<std::size_t>(seats), nobody);
  for (pe = 1; pe < static_cast<std::size_t>(pes); ++pe) {
    const Members told{static_cast<std::uint32_t>(pe), gathered.admits ? 1U : 0U, gathered.members};
    gathered.links[pe]->send(Frame::members, write(told));
  }
  wait_until(
      [&] {
        for (auto& link : gathered.links)
          if (link) link->flush();
        return std::none_of(gathered.links.begin(), gathered.links.end(),
                            [](const auto& link) { return link && link->unsent() != 0; });
      },
      longest(wait));
  gathered.door = std::move(door);
  return gathered;
}

Gathered join(const std::vector<Endpoint>& main, Member own, const Terms& terms, Wait wait) {
  Calls calls(main, terms);
  if (!wait_until([&] { return calls.step(); }, longest(wait)))
    throw Error("nobody answers where the main PE should be");
  const bool only_here = calls.at.is_loopback();
  Door door(Socket::listening(0, only_here), terms);
  own.at.port = door.port();
  auto& link = *calls.link;
  link.send(Frame::card, write(own));
  std::optional<Members> members;
  const auto told = [&] {
    link.flush();
    link.fill();
    const auto frame = link.next();
    if (frame && frame->kind == Frame::goodbye)
      throw Error("refused by " + calls.at.text() +
                      ": all PEs of the run are there already, or it uses Shared objects",
                  2);
    if (frame && frame->kind == Frame::over)
      throw Error("the run at " + calls.at.text() + " is over; this PE came too late to join it",
                  0);
    if (frame && frame->kind == Frame::members) members = read_members(frame->content);
    if (!members && link.ended())
      throw Error("the main PE at " + calls.at.text() + " has ended before it let this PE in");
    return members.has_value();
  };
  if (!wait_until(told, longest(wait))) throw Error("not all PEs of the run have come in time");
  Gathered gathered;
  gathered.self = static_cast<int>(members->self);
  gathered.admits = members->admits != 0;
  gathered.members = std::move(members->all);
  gathered.links.resize(gathered.members.size());
  gathered.links.front() = std::move(link);
  for (auto& member : gathered.members)
    if (member.at.address == Endpoint().address) member.at.address = calls.at.address;
  gathered.main = calls.at;
  gathered.door = std::move(door);
  return gathered;
}

}  // namespace trawl::fabric::net
