// What strangers may say to fabric net, and members whose bytes were damaged on the way: refused,
// or read as what was said, in bounded memory; nobody comes in without the key. To be run under
// sanitizers; `net_fuzz [cases [first]]`.
#include <array>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <vector>

#include <fcntl.h>
#include <unistd.h>

#include "rts/fabric/net/door.hpp"
#include "rts/fabric/net/frames.hpp"
#include "rts/fabric/net/handshake.hpp"
#include "rts/fabric/net/members.hpp"
#include "rts/host/clocks.hpp"
#include "tests/fuzz/byte_damage.hpp"

namespace {

using namespace trawl;
using namespace trawl::fabric::net;

void expect(bool kept, const char* promise) {
  if (!kept) throw std::logic_error(promise);
}

struct Tally {
  std::uint64_t accepted = 0;
  std::uint64_t refused = 0;
};

const Terms& common_terms() {
  static const Terms terms{make_key(), own_identity("1.0", 42), true};
  return terms;
}

void damage_handshake(fuzz::ByteDamage& bits, Tally& tally) {
  Knocker knocker(common_terms());
  Doorkeeper doorkeeper(common_terms());
  auto knock = knocker.knock();
  if (bits.one_in(2)) bits.damage(knock, bits.below(knock.size()), {bits.noise()});
  const bool sound = knock == knocker.knock();
  const bool in = doorkeeper.read(knock) == Verdict::come_in;
  expect(in == sound, "a knock is believed if it is as it was made");
  expect(doorkeeper.answer().size() == answer_size, "every knock gets an answer");
  auto answer = doorkeeper.answer();
  if (bits.one_in(2)) bits.damage(answer, bits.below(answer.size()), {knock});
  const bool believed = knocker.read(answer) == Verdict::come_in;
  expect(believed == (in && answer == doorkeeper.answer()), "so is an answer");
  if (believed) {
    auto confirm = knocker.confirm();
    if (bits.one_in(2)) bits.damage(confirm, 0, {knock});
    expect(doorkeeper.confirmed(confirm) == (confirm == knocker.confirm()), "and a confirmation");
  }
  ++(believed ? tally.accepted : tally.refused);
}

void damage_frames(fuzz::ByteDamage& bits, Tally& tally) {
  const Secret secret{static_cast<std::uint8_t>(bits())};
  const bool sealed = bits.one_in(2);
  Sealer sealer(sealed ? &secret : nullptr);
  std::vector<Bytes> said;
  Bytes stream;
  for (auto count = bits.below(6); count > 0; --count) {
    said.push_back(bits.noise());
    sealer.append(static_cast<Frame>(bits.below(frame_kinds)), said.back(), stream);
  }
  if (bits.one_in(4))
    stream = bits.noise();
  else if (!stream.empty() && !bits.one_in(4))
    bits.damage(stream, 0, said);
  FrameReader reader(sealed ? &secret : nullptr);
  std::size_t found = 0;
  std::size_t content = 0;
  try {
    for (std::size_t at = 0; at < stream.size();) {
      const auto room = reader.room();
      expect(!room.empty(), "there is room until a frame can't be true");
      const auto part = std::min({room.size(), 1 + bits.below(100), stream.size() - at});
      std::copy_n(stream.begin() + static_cast<std::ptrdiff_t>(at), part, room.begin());
      reader.filled(part);
      at += part;
      while (const auto frame = reader.next()) {
        content += frame->content.size();
        if (sealed) {
          expect(found < said.size() && copy_of(frame->content) == said[found],
                 "what is sealed is what was said, in its turn");
        }
        ++found;
      }
    }
    ++tally.accepted;
  } catch (const BadBytes&) {
    ++tally.refused;
  }
  expect(content <= stream.size(), "there is no more in frames than came");
}

void damage_members(fuzz::ByteDamage& bits, Tally& tally) {
  Members members;
  const auto count = 2 + bits.below(5);
  members.self = static_cast<std::uint32_t>(1 + bits.below(count - 1));
  for (std::size_t i = 0; i < count; ++i) {
    Member member;
    member.card.process = static_cast<std::int32_t>(1 + bits.below(1000));
    member.card.kernel = bits();
    members.all.push_back(member);
  }
  auto bytes = write(members);
  if (!bits.one_in(4)) bits.damage(bytes, 0, {bits.noise(), write(members.all.front())});
  try {
    expect(write(read_members(bytes)) == bytes, "what was read is what would be written");
    ++tally.accepted;
  } catch (const BadBytes&) {
    ++tally.refused;
  }
}

/// Over real sockets: one who has the key and one who says something else, to the same door.
void damage_at_the_door(fuzz::ByteDamage& bits, Tally& tally) {
  Door door(Socket::listening(0, true), common_terms());
  const auto at = find_endpoints("127.0.0.1:" + std::to_string(door.port())).front();
  const auto stranger = Socket::to(at);
  auto noise = bits.one_in(2) ? bits.noise() : Knocker(common_terms()).knock();
  if (bits.one_in(2)) bits.damage(noise, 0, {bits.noise()});
  const auto more = bits.noise();
  noise.insert(noise.end(), more.begin(), more.end());
  auto meeting = Meeting::knocking(common_terms(), at, wall_time());
  std::optional<Link> link;
  bool wrote = false;
  for (int turn = 0; turn < 10'000; ++turn) {
    if (!wrote && stranger.connected()) {
      wrote = true;
      stranger.write(noise);
      stranger.end_writing();
    }
    if (!link && meeting.step(wall_time()) == Meeting::State::met) {
      link.emplace(meeting.take_link());
      link->send(Frame::card, write(Member{}));
    }
    if (const auto guest = door.look(wall_time())) {
      expect(guest->kind == Frame::card && guest->content == write(Member{}),
             "nobody comes in but who has the key");
      ++tally.accepted;
      return;
    }
  }
  throw std::logic_error("who has the key comes in, whoever else is there");
}

}  // namespace

int main(int argc, char** argv) {
  const std::uint64_t cases = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 4'000;
  const std::uint64_t first = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 1;
  Tally handshakes, frames, members, doors;
  // What is said of those who are refused is not what is looked at here.
  const int own = dup(STDERR_FILENO);
  const int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
  for (std::uint64_t seed = first; seed < first + cases; ++seed) {
    fuzz::ByteDamage bits(seed);
    try {
      damage_handshake(bits, handshakes);
      for (int i = 0; i < 10; ++i) damage_frames(bits, frames);
      damage_members(bits, members);
      dup2(nowhere, STDERR_FILENO);
      if (seed % 20 == 0) damage_at_the_door(bits, doors);
      dup2(own, STDERR_FILENO);
    } catch (const std::exception& e) {
      dup2(own, STDERR_FILENO);
      std::fprintf(stderr, "case %llu: not kept: %s\n", static_cast<unsigned long long>(seed),
                   e.what());
      return 1;
    }
  }
  const std::array<std::pair<const char*, const Tally*>, 4> all{{{"handshakes", &handshakes},
                                                                 {"streams", &frames},
                                                                 {"members", &members},
                                                                 {"doors", &doors}}};
  for (const auto& [name, tally] : all)
    std::printf("%s: %llu as they were said, %llu refused\n", name,
                static_cast<unsigned long long>(tally->accepted),
                static_cast<unsigned long long>(tally->refused));
  const bool both = handshakes.accepted != 0 && handshakes.refused != 0 && frames.accepted != 0 &&
                    frames.refused != 0 && members.accepted != 0 && members.refused != 0;
  return both || cases < 1000 ? 0 : 1;
}
