#include "rts/fabric/net/door.hpp"

#include <string>

#include "rts/base/say.hpp"

namespace trawl::fabric::net {
namespace {

constexpr std::size_t most_meetings = 64;
constexpr int most_refusals = 100;  // that are told

}  // namespace

void Door::refuse(const Endpoint& who, const std::string& why) {
  if (++refusals_ > most_refusals) return;
  say("trawl: refused " + who.text() + ": " + why +
      (refusals_ == most_refusals ? "; who else is refused will not be named" : "") + "\n");
}

void Door::answer(Nanos now) {
  while (meetings_.size() < most_meetings) {
    auto come = socket_.accept();
    if (!come) break;
    meetings_.push_back(Meeting::answering(terms_, std::move(come->first), come->second, now));
  }
  for (auto meeting = meetings_.begin(); meeting != meetings_.end();) {
    const auto state = meeting->step(now);
    if (state == Meeting::State::met)
      met_.push_back({meeting->take_link(), meeting->other(), now + Meeting::patience});
    if (state == Meeting::State::failed && meeting->refused())
      refuse(meeting->other(), meeting->why());
    meeting = state == Meeting::State::going_on ? std::next(meeting) : meetings_.erase(meeting);
  }
}

std::optional<Guest> Door::listen(Nanos now) {
  for (auto met = met_.begin(); met != met_.end(); ++met) {
    bool wrong = false;
    try {
      met->link.fill();
      if (const auto first = met->link.next()) {
        Guest guest{std::move(met->link), met->from, first->kind, copy_of(first->content)};
        met_.erase(met);
        return guest;
      }
    } catch (const BadBytes& e) {
      refuse(met->from, e.what());
      wrong = true;
    }
    if (wrong || met->link.ended() || now >= met->give_up) {
      met_.erase(met);
      break;  // the others at the next look
    }
  }
  return std::nullopt;
}

std::optional<Guest> Door::look(Nanos now) {
  answer(now);
  return listen(now);
}

}  // namespace trawl::fabric::net
