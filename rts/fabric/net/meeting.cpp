#include "rts/fabric/net/meeting.hpp"

namespace trawl::fabric::net {

Meeting::Meeting(const Terms& terms, Socket socket, const Endpoint& other, Nanos now)
    : socket_(std::move(socket)), other_(other), sealed_(terms.sealed), give_up_(now + patience) {}

Meeting Meeting::knocking(const Terms& terms, const Endpoint& at, Nanos now) {
  Meeting meeting(terms, Socket::to(at), at, now);
  meeting.knocker_.emplace(terms);
  return meeting;
}

Meeting Meeting::answering(const Terms& terms, Socket socket, const Endpoint& from, Nanos now) {
  Meeting meeting(terms, std::move(socket), from, now);
  meeting.doorkeeper_.emplace(terms);
  return meeting;
}

Meeting::State Meeting::fail(std::string why, bool refused) {
  why_ = std::move(why);
  refused_ = refused;
  socket_ = Socket();
  return State::failed;
}

/// The next message of the handshake, once all of it has come, and not a byte of what is behind.
std::optional<std::span<const std::byte>> Meeting::read(std::size_t size) {
  const auto had = in_.size();
  if (had < size) {
    in_.resize(size);
    const auto count = socket_.read(std::span(in_).subspan(had));
    in_.resize(had + count.bytes);
    ended_ = count.what == Socket::Moved::ended;
  }
  return in_.size() == size ? std::optional(std::span<const std::byte>(in_)) : std::nullopt;
}

/// A new connection has room for the few bytes of a handshake.
bool Meeting::write(const Bytes& bytes) {
  in_.clear();
  ++stage_;
  return socket_.write(bytes).bytes == bytes.size();
}

Meeting::State Meeting::step(Nanos now) {
  const auto state = knocker_ ? knock() : answer();
  if (state != State::going_on) return state;
  if (ended_) return fail("the connection was closed in the middle of the handshake");
  if (now >= give_up_) return fail("nobody answers");
  return State::going_on;
}

Meeting::State Meeting::knock() {
  if (stage_ == 0) {
    const auto trouble = socket_.connected();
    if (!trouble) return State::going_on;
    if (!trouble->empty()) return fail(*trouble);
    if (!write(knocker_->knock())) return fail("the connection was closed");
  }
  const auto said = read(answer_size);
  if (!said) return State::going_on;
  const auto verdict = knocker_->read(*said);
  if (verdict != Verdict::come_in) return fail(std::string(said_of_self(verdict)), true);
  return write(knocker_->confirm()) ? State::met : fail("the connection was closed");
}

Meeting::State Meeting::answer() {
  if (stage_ == 0) {
    const auto said = read(knock_size);
    if (!in_.empty() && !Doorkeeper::may_be_knock(in_))
      return fail(std::string(said_of_other(Verdict::stranger)), true);
    if (!said) return State::going_on;
    const auto verdict = doorkeeper_->read(*said);
    const bool written = write(doorkeeper_->answer());
    if (verdict != Verdict::come_in) return fail(std::string(said_of_other(verdict)), true);
    if (!written) return fail("the connection was closed");
  }
  const auto said = read(confirm_size);
  if (!said) return State::going_on;
  if (!doorkeeper_->confirmed(*said)) return fail(std::string(said_of_other(Verdict::key)), true);
  return State::met;
}

Link Meeting::take_link() {
  const auto& session = knocker_ ? knocker_->session() : doorkeeper_->session();
  return {std::move(socket_), sealed_ ? &session : nullptr, knocker_.has_value()};
}

}  // namespace trawl::fabric::net
