#include "rts/fabric/net/links.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <string>

#include <sys/epoll.h>
#include <unistd.h>

#include "rts/host/clocks.hpp"
#include "rts/inline/error.hpp"

namespace trawl::fabric::net {
namespace {

/// So seldom the door is looked at once all have come, only to say so to those who are too late. A
/// meeting needs several looks. The clock is not read at each call.
constexpr Nanos between_looks = 10'000'000;
constexpr unsigned calls_between_clocks = 64;
constexpr int events_a_look = 16;

}  // namespace

Links::Links(Gathered gathered, std::vector<bool> apart, const Terms& terms, Nanos now)
    : self_(gathered.self),
      silence_(terms.silence),
      peers_(gathered.members.size()),
      admits_(gathered.admits),
      members_(std::move(gathered.members)),
      door_(std::move(gathered.door)),
      sockets_(epoll_create1(EPOLL_CLOEXEC)) {
  if (sockets_ < 0) throw Error("cannot look after connections: epoll is not to be had");
  bool any_to_come = self_ == 0 || admits_;
  for (int pe = 0; pe < static_cast<int>(peers_.size()); ++pe) {
    auto& its = peer(pe);
    const auto at = static_cast<std::size_t>(pe);
    its.over = members_[at].is == Member::Is::gone;
    if (!apart[at] || members_[at].is != Member::Is::there) continue;
    set_apart(pe);
    if (gathered.links[at])
      begin(pe, std::move(*gathered.links[at]));
    else if (pe < self_)
      its.call = Meeting::knocking(terms, members_[at].at, now);
    else
      any_to_come = true;
  }
  if (!any_to_come) door_.reset();
}

Links::~Links() {
  close(sockets_);
}

void Links::set_apart(int pe) {
  if (std::exchange(peer(pe).apart, true)) return;
  ++apart_;
  ++missing_;
}

void Links::begin(int pe, Link link) {
  auto& its = peer(pe);
  its.call.reset();
  its.link.emplace(std::move(link));
  its.link->give_up_after(silence_);
  --missing_;
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.fd = pe;
  if (epoll_ctl(sockets_, EPOLL_CTL_ADD, its.link->file(), &event) != 0)
    throw Error("cannot look after the connection to PE " + std::to_string(pe) + ": " +
                std::strerror(errno));
  filled_.push_back(pe);  // what came behind the handshake may have been read with it
  for (const auto& message : its.early) send(pe, message);
  its.early.clear();
  its.early_bytes = 0;
}

/// Nothing more comes from it, and nothing goes there.
void Links::end(int pe) {
  auto& its = peer(pe);
  if (its.link)
    epoll_ctl(sockets_, EPOLL_CTL_DEL, its.link->file(), nullptr);
  else
    --missing_;
  its.link.reset();
  its.call.reset();
  its.early.clear();
  its.early_bytes = 0;
  its.over = true;
  members_[static_cast<std::size_t>(pe)].is = Member::Is::gone;  // for those who come later
}

void Links::lose(int pe, const std::string& why) {
  end(pe);
  dead_.push_back({pe, why});
}

void Links::send(int to, std::span<const std::byte> message) {
  auto& its = peer(to);
  if (its.over) return;
  if (!its.link) {
    its.early_bytes += message.size();
    its.early.push_back(copy_of(message));
    return;
  }
  its.link->send(Frame::message, message);
  if (its.link->unsent() != 0 && !std::exchange(its.sending, true)) sending_.push_back(to);
}

void Links::flush() {
  std::erase_if(sending_, [this](int pe) {
    auto& its = peer(pe);
    if (its.link) its.link->flush();
    its.sending = its.link && its.link->unsent() != 0;
    return !its.sending;
  });
}

std::size_t Links::unsent(int to) const noexcept {
  const auto& its = peer(to);
  return its.link ? its.link->unsent() : its.early_bytes;
}

bool Links::flushed() {
  for (std::size_t pe = 0; pe < peers_.size(); ++pe) {
    const auto& its = peers_[pe];
    if (members_[pe].is == Member::Is::gone) continue;
    if (its.link ? !its.link->flushed() : !its.early.empty()) return false;
  }
  return true;
}

void Links::take(Guest guest) {
  constexpr std::size_t most_waiting = 64;
  if (guest.kind == Frame::card && admits_ && self_ == 0 && waiting_.size() < most_waiting)
    return waiting_.push_back(std::move(guest));
  if (guest.kind == Frame::card) guest.link.send(Frame::goodbye, {});
  if (guest.kind != Frame::pe || guest.content.size() != sizeof(std::uint32_t)) return;
  std::uint32_t number = 0;
  std::memcpy(&number, guest.content.data(), sizeof number);
  if (number >= peers_.size() || static_cast<int>(number) <= self_) return;
  const auto pe = static_cast<int>(number);
  if (peer(pe).link || peer(pe).over) return;
  // It may be faster than the news that it has come.
  if (members_[number].is == Member::Is::to_come) set_apart(pe);
  if (peer(pe).apart) begin(pe, std::move(guest.link));
}

void Links::expect(int pe, const Member& member) {
  members_[static_cast<std::size_t>(pe)] = member;
  if (!peer(pe).over) set_apart(pe);
}

// Its link stays: one that was given up may hear that it was.
void Links::forget(int pe) noexcept {
  const auto& its = peer(pe);
  if (its.apart && !its.link && !its.over) end(pe);
  members_[static_cast<std::size_t>(pe)].is = Member::Is::gone;
}

std::optional<int> Links::newcomer(Nanos now) {
  if (!admits_) return std::nullopt;
  look_for_links(now);
  flush_answers();
  while (!waiting_.empty()) {
    auto guest = std::move(waiting_.front());
    waiting_.pop_front();
    const auto seat = std::find_if(members_.begin(), members_.end(), [](const Member& each) {
      return each.is == Member::Is::to_come;
    });
    const auto member = member_of(guest);
    if (!member) continue;
    if (seat == members_.end()) {
      guest.link.send(Frame::goodbye, {});
      continue;
    }
    *seat = *member;
    const auto pe = static_cast<int>(seat - members_.begin());
    guest.link.send(Frame::members, write(Members{static_cast<std::uint32_t>(pe), 1, members_}));
    if (member->card.kernel == members_.front().card.kernel) {
      answered_.push_back(std::move(guest.link));
    } else {
      set_apart(pe);
      begin(pe, std::move(guest.link));
    }
    return pe;
  }
  return std::nullopt;
}

void Links::flush_answers() {
  std::erase_if(answered_, [](Link& link) {
    link.flush();
    if (link.unsent() == 0) link.end_writing();
    return link.ended() || link.unsent() == 0;
  });
}

void Links::refuse_newcomers(Nanos now) {
  look_for_links(now);
  for (auto& guest : waiting_) guest.link.send(Frame::goodbye, {});
  waiting_.clear();
}

void Links::look_for_links(Nanos now) {
  while (door_) {
    auto guest = door_->look(now);
    if (!guest) break;
    take(std::move(*guest));
  }
  for (int pe = 0; pe < self_ && missing_ != 0; ++pe) {
    auto& its = peer(pe);
    if (!its.call) continue;
    const auto state = its.call->step(now);
    if (state == Meeting::State::failed) lose(pe, "it cannot be reached: " + its.call->why());
    if (state != Meeting::State::met) continue;
    auto link = its.call->take_link();
    const auto own = static_cast<std::uint32_t>(self_);
    link.send(Frame::pe, std::as_bytes(std::span(&own, 1)));
    begin(pe, std::move(link));
  }
}

void Links::look_at_times(Nanos now) {
  if (now - looked_ < between_looks) return;
  looked_ = now;
  look_for_links(now);
}

/// Reads what has come by sockets. False: nothing.
bool Links::fill_any() {
  std::array<epoll_event, events_a_look> events{};
  const int count = epoll_wait(sockets_, events.data(), events_a_look, 0);
  for (int i = 0; i < count; ++i) {
    const int pe = events[static_cast<std::size_t>(i)].data.fd;
    peer(pe).link->fill();
    filled_.push_back(pe);
  }
  return count > 0;
}

/// The next message that has been read of this PE; nothing more once there is none.
std::optional<Arrival> Links::next_of(int pe) {
  while (peer(pe).link) {
    try {
      const auto frame = peer(pe).link->next();
      if (!frame) break;
      if (frame->kind == Frame::message) return Arrival{pe, frame->content};
      if (frame->kind == Frame::members) continue;
      if (frame->kind != Frame::goodbye) throw BadBytes("a frame for who is not there yet");
      end(pe);
    } catch (const BadBytes& e) {  // nothing of it has been used: it is a death as any other
      lose(pe, e.what());
    }
  }
  if (peer(pe).link && peer(pe).link->ended())
    lose(pe, "its process, or the connection to it, has ended");
  return std::nullopt;
}

std::optional<Arrival> Links::receive() {
  if (missing_ != 0)
    look_for_links(wall_time());
  else if (door_ && ++calls_ % calls_between_clocks == 0)
    look_at_times(wall_time());
  do {
    while (!filled_.empty()) {
      if (auto arrival = next_of(filled_.front())) return arrival;
      filled_.pop_front();
    }
  } while (apart_ != 0 && fill_any());
  return std::nullopt;
}

std::optional<Dead> Links::dead() {
  if (dead_.empty()) return std::nullopt;
  auto dead = std::move(dead_.back());
  dead_.pop_back();
  return dead;
}

// Who is at the door came too late. False: others may still be about to say what they want.
bool Links::turn_all_away() noexcept try {
  if (!admits_ || self_ != 0) return true;
  look_for_links(wall_time());
  for (auto& guest : waiting_) {
    guest.link.send(Frame::over, {});
    answered_.push_back(std::move(guest.link));
  }
  waiting_.clear();
  flush_answers();
  return answered_.empty() && !(door_ && door_->has_callers());
} catch (const std::exception&) {
  return true;  // they see the connection end
}

void Links::say_goodbye() noexcept {
  constexpr auto longest = std::chrono::milliseconds(500);
  constexpr Nanos for_callers = 100'000'000;  // some may never say anything
  const auto until = wall_time() + for_callers;
  for (auto& its : peers_)
    if (its.link) its.link->send(Frame::goodbye, {});
  const auto all_have_it = [this, until] {
    for (auto& its : peers_) {
      if (!its.link) continue;
      its.link->flush();
      if (its.link->unsent() == 0) its.link->end_writing();
    }
    const bool nobody_at_the_door = turn_all_away();
    return (nobody_at_the_door || wall_time() > until) && flushed();
  };
  wait_until(all_have_it, longest);
}

}  // namespace trawl::fabric::net
