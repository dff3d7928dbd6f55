// Fabric net's parts that need no other process: keys, handshakes, frames, members, addresses.
#include <cstring>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "rts/fabric/net/door.hpp"
#include "rts/fabric/net/frames.hpp"
#include "rts/fabric/net/handshake.hpp"
#include "rts/fabric/net/key.hpp"
#include "rts/fabric/net/links.hpp"
#include "rts/fabric/net/members.hpp"
#include "rts/fabric/net/socket.hpp"
#include "rts/host/clocks.hpp"
#include "rts/inline/error.hpp"

namespace trawl::fabric::net {
namespace {

Bytes bytes_of(std::string_view text) {
  return copy_of(std::as_bytes(std::span(text.data(), text.size())));
}

std::string text_in(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

Terms terms(const Key& key, std::string_view version = "1.2.3", std::uint64_t program = 7,
            std::uint64_t flags = 0) {
  return {key, own_identity(version, program, flags), true};
}

TEST(NetKey, IsReadAsItIsWritten) {
  const auto key = make_key();
  EXPECT_EQ(read_key(text_of(key)), key);
  EXPECT_NE(make_key(), key);
  EXPECT_EQ(read_key(""), Key());
  for (const auto* wrong : {"0", "xyz", "0f0f"}) EXPECT_THROW(read_key(wrong), Error) << wrong;
  EXPECT_THROW(read_key(text_of(key) + "00"), Error);
}

/// What the listening end says to one with these terms.
Verdict verdict_on(const Terms& listening, const Terms& knocking) {
  Doorkeeper doorkeeper(listening);
  Knocker knocker(knocking);
  const auto verdict = doorkeeper.read(knocker.knock());
  EXPECT_EQ(knocker.read(doorkeeper.answer()), verdict);
  return verdict;
}

TEST(NetHandshake, BothEndsGetTheSameSession) {
  const auto common = terms(make_key());
  Doorkeeper doorkeeper(common);
  Knocker knocker(common);
  ASSERT_EQ(doorkeeper.read(knocker.knock()), Verdict::come_in);
  ASSERT_EQ(knocker.read(doorkeeper.answer()), Verdict::come_in);
  EXPECT_TRUE(doorkeeper.confirmed(knocker.confirm()));
  EXPECT_EQ(doorkeeper.session().from_knocker, knocker.session().from_knocker);
  EXPECT_EQ(doorkeeper.session().to_knocker, knocker.session().to_knocker);
  EXPECT_NE(knocker.session().from_knocker, knocker.session().to_knocker);
}

TEST(NetHandshake, WhoDoesNotBelongIsToldWhy) {
  const auto key = make_key();
  const auto own = terms(key);
  EXPECT_EQ(verdict_on(own, terms(make_key())), Verdict::key);
  EXPECT_EQ(verdict_on(own, terms(Key())), Verdict::key);
  EXPECT_EQ(verdict_on(terms(Key()), terms(Key())), Verdict::key);
  EXPECT_EQ(verdict_on(own, terms(key, "1.2.4")), Verdict::version);
  EXPECT_EQ(verdict_on(own, terms(key, "1.2.3", 8)), Verdict::program);
  EXPECT_EQ(verdict_on(own, terms(key, "1.2.3", 7, 5)), Verdict::come_in) << "nobody compares them";
  EXPECT_EQ(verdict_on(terms(key, "1.2.3", 7, 4), terms(key, "1.2.3", 7, 5)), Verdict::flags);
  EXPECT_EQ(verdict_on(terms(key, "1.2.3", 7, 4), terms(key, "1.2.3", 7, 4)), Verdict::come_in);
  auto other = own;
  other.sealed = false;
  EXPECT_EQ(verdict_on(own, other), Verdict::sealing);
  other = own;
  other.identity.architecture[0] = 'z';
  EXPECT_EQ(verdict_on(own, other), Verdict::architecture);
}

TEST(NetHandshake, AKnockThatWasOverheardOpensNothing) {
  const auto common = terms(make_key());
  Doorkeeper first(common);
  Doorkeeper second(common);
  Knocker knocker(common);
  ASSERT_EQ(first.read(knocker.knock()), Verdict::come_in);
  ASSERT_EQ(knocker.read(first.answer()), Verdict::come_in);
  ASSERT_EQ(second.read(knocker.knock()), Verdict::come_in);
  EXPECT_FALSE(second.confirmed(knocker.confirm()));
}

TEST(NetHandshake, WhoListensHasToKnowTheKeyToo) {
  Knocker knocker(terms(make_key()));
  Doorkeeper doorkeeper(terms(make_key()));
  doorkeeper.read(knocker.knock());
  auto answer = doorkeeper.answer();
  answer[8] = std::byte{0};  // "come in"
  EXPECT_EQ(knocker.read(answer), Verdict::key);
}

/// Reads a stream that comes in parts of this size.
std::vector<std::string> read_in_parts(const Bytes& stream, std::size_t part,
                                       const Secret* secret) {
  FrameReader reader(secret);
  std::vector<std::string> found;
  for (std::size_t at = 0; at < stream.size(); at += part) {
    const auto size = std::min(part, stream.size() - at);
    const auto room = reader.room();
    std::memcpy(room.data(), stream.data() + at, size);
    reader.filled(size);
    while (const auto frame = reader.next()) found.push_back(text_in(frame->content));
  }
  return found;
}

TEST(NetFrames, ComeWholeHoweverTheStreamIsCut) {
  const Secret secret{1, 2, 3};
  for (const Secret* sealed : {static_cast<const Secret*>(nullptr), &secret}) {
    Sealer sealer(sealed);
    Bytes stream;
    const std::vector<std::string> said{"", "a", std::string(1000, 'b'),
                                        std::string(longest_frame, 'c'), "d"};
    for (const auto& each : said) sealer.append(Frame::message, bytes_of(each), stream);
    for (const std::size_t part : {1UL, 7UL, 4096UL, 100'000UL})
      EXPECT_EQ(read_in_parts(stream, part, sealed), said) << part;
  }
}

TEST(NetFrames, WhatCantBeTrueIsAnError) {
  const Secret secret{1};
  const auto refused = [](Bytes stream, const Secret* sealed) {
    EXPECT_THROW(read_in_parts(stream, 64, sealed), BadBytes);
  };
  Sealer open(nullptr);
  Bytes stream;
  open.append(Frame{frame_kinds}, bytes_of("x"), stream);
  refused(stream, nullptr);
  stream.assign(4, std::byte{0xff});
  stream[3] = std::byte{0};  // a message of 16 MiB
  refused(stream, nullptr);
  Sealer sealer(&secret);
  Bytes sealed;
  sealer.append(Frame::message, bytes_of("first"), sealed);
  auto changed = sealed;
  changed.back() ^= std::byte{1};
  refused(changed, &secret);
  const Secret other{2};
  refused(sealed, &other);
  auto twice = sealed;  // said once more
  twice.insert(twice.end(), sealed.begin(), sealed.end());
  refused(twice, &secret);
}

Member member(std::uint64_t kernel, int wanted = -1) {
  Member made;
  made.card.kernel = kernel;
  made.card.process = 1;
  made.wanted_pe = wanted;
  return made;
}

TEST(NetMembers, AreReadAsTheyAreWritten) {
  const Members members{1, 0, {member(1), member(2), member(1)}};
  const auto bytes = write(members);
  const auto read = read_members(bytes);
  EXPECT_EQ(read.self, 1U);
  EXPECT_EQ(write(read), bytes);
  EXPECT_THROW(read_members(std::span(bytes).first(bytes.size() - 1)), BadBytes);
  EXPECT_THROW(read_members(write({3, 0, members.all})), BadBytes);
  EXPECT_THROW(read_members(write({0, 0, members.all})), BadBytes);
}

TEST(NetMembers, AreNumberedAsTheyWantElseHostByHost) {
  using Order = std::vector<std::size_t>;
  const std::vector<Member> all{member(2), member(3), member(1), member(2), member(1)};
  EXPECT_EQ(numbering(member(1), all), (Order{2, 4, 0, 3, 1}));
  const std::vector<Member> wanting{member(2, 3), member(3, 1), member(1, 2)};
  EXPECT_EQ(numbering(member(1), wanting), (Order{1, 2, 0}));
  const std::vector<Member> at_odds{member(2, 1), member(3, 1), member(1, 2)};
  EXPECT_EQ(numbering(member(1), at_odds), (Order{2, 0, 1}));
}

TEST(NetSocket, AddressesAreFound) {
  EXPECT_EQ(find_endpoints("127.0.0.1:80").front().text(), "127.0.0.1:80");
  EXPECT_EQ(find_endpoints("[::1]:80").front().text(), "[::1]:80");
  for (const auto* wrong : {"", "80", ":80", "host:", "127.0.0.1:0", "127.0.0.1:65536", "[::1]:x"})
    EXPECT_THROW(find_endpoints(wrong), Error) << wrong;
}

/// Both ends take turns until neither gets on.
std::optional<Guest> meet(Door& door, Meeting& meeting, std::optional<Link>& link) {
  for (int turn = 0; turn < 1000; ++turn) {
    if (!link && meeting.step(wall_time()) == Meeting::State::met) {
      link.emplace(meeting.take_link());
      link->send(Frame::pe, bytes_of("who I am"));
    }
    if (auto guest = door.look(wall_time())) return guest;
  }
  return std::nullopt;
}

/// Both ends of one.
struct Connection {
  std::optional<Link> link;
  std::optional<Guest> guest;

  Connection() {
    const auto common = terms(make_key());
    Door door(Socket::listening(0, true), common);
    const auto at = find_endpoints("127.0.0.1:" + std::to_string(door.port())).front();
    auto meeting = Meeting::knocking(common, at, wall_time());
    guest = meet(door, meeting, link);
  }
};

TEST(NetDoor, LetsInWhoHasTheKeyBesideStrangers) {
  const auto common = terms(make_key());
  Door door(Socket::listening(0, true), common);
  const auto at = find_endpoints("127.0.0.1:" + std::to_string(door.port())).front();
  const auto silent = Socket::to(at);
  auto stranger = Meeting::knocking(terms(make_key()), at, wall_time());
  std::optional<Link> none;
  testing::internal::CaptureStderr();
  EXPECT_FALSE(meet(door, stranger, none));
  EXPECT_NE(testing::internal::GetCapturedStderr().find("it has no key, or another one"),
            std::string::npos);
  EXPECT_EQ(stranger.why(), said_of_self(Verdict::key));
  auto friendly = Meeting::knocking(common, at, wall_time());
  std::optional<Link> link;
  const auto guest = meet(door, friendly, link);
  ASSERT_TRUE(guest);
  EXPECT_EQ(text_in(guest->content), "who I am");
}

TEST(NetDoor, GivesUpOnWhoSaysNothing) {
  Door door(Socket::listening(0, true), terms(make_key()));
  const auto at = find_endpoints("127.0.0.1:" + std::to_string(door.port())).front();
  auto silent = Socket::to(at);
  const auto now = wall_time();
  while (!silent.connected()) {
  }
  door.look(now);
  std::array<std::byte, 1> byte{};
  EXPECT_EQ(silent.read(byte).what, Socket::Moved::none);
  door.look(now + 11'000'000'000);
  for (int turn = 0; turn < 1'000'000 && silent.read(byte).what == Socket::Moved::none; ++turn) {
  }
  EXPECT_EQ(silent.read(byte).what, Socket::Moved::ended);
}

// The run goes on without him: what he sent has not been used.
TEST(NetLinks, WhoseFramesCantBeRightIsDead) {
  Connection connection;
  auto& [link, guest] = connection;
  ASSERT_TRUE(guest);
  Gathered gathered;
  gathered.members.resize(2);
  gathered.links.resize(2);
  gathered.links[1] = std::move(guest->link);
  Links links(std::move(gathered), {false, true}, terms(make_key()), wall_time());
  link->send(Frame::message, bytes_of("good"));
  link->send(Frame::card, bytes_of("it is too late for that"));
  link->send(Frame::message, bytes_of("never read"));
  int messages = 0;
  std::optional<Dead> dead;
  while (!(dead = links.dead())) messages += links.receive() ? 1 : 0;
  EXPECT_EQ(messages, 1);
  EXPECT_EQ(dead->pe, 1);
  EXPECT_EQ(dead->why, "a frame for who is not there yet");
  EXPECT_FALSE(links.receive());
}

TEST(NetLink, KeepsWhatTheSocketHasNoRoomFor) {
  Connection connection;
  auto& [link, guest] = connection;
  ASSERT_TRUE(guest);
  const Bytes large(longest_frame, std::byte{9});
  int sent = 0;
  while (link->unsent() == 0) {
    link->send(Frame::message, large);
    ++sent;
  }
  for (int more = 0; more < 10; ++more, ++sent) link->send(Frame::message, large);
  EXPECT_FALSE(link->flushed());
  int received = 0;
  while (received < sent) {
    link->flush();
    guest->link.fill();
    while (const auto frame = guest->link.next()) {
      EXPECT_EQ(copy_of(frame->content), large);
      ++received;
    }
  }
  EXPECT_EQ(link->unsent(), 0U);
  link->send(Frame::goodbye, {});
  link.reset();
  while (!guest->link.ended()) guest->link.fill();
  EXPECT_EQ(guest->link.next()->kind, Frame::goodbye);
}

TEST(NetLink, WhatCameBeforeAFailedWriteIsRead) {
  Connection connection;
  auto& [link, guest] = connection;
  ASSERT_TRUE(guest);
  link->send(Frame::message, bytes_of("which nobody reads"));
  guest->link.send(Frame::message, bytes_of("the last"));
  guest->link.send(Frame::goodbye, {});
  while (!guest->link.flushed()) {
  }
  guest.reset();
  for (int turn = 0; turn < 3; ++turn) link->send(Frame::message, bytes_of("too late"));
  EXPECT_TRUE(link->flushed());
  while (!link->ended()) link->fill();
  EXPECT_EQ(link->next()->kind, Frame::message);
  EXPECT_EQ(link->next()->kind, Frame::goodbye);
}

}  // namespace
}  // namespace trawl::fabric::net
