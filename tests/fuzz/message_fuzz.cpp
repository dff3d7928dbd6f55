// What `read` makes of damaged messages, for each kind of the table: BadBytes, or what `write`
// would write so, byte by byte: nothing half valid, nothing behind it, no memory that did not come.
// To be run under sanitizers; `message_fuzz [cases [first]]`.
#include <array>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <stdexcept>
#include <string>
#include <vector>

#include <sys/resource.h>

#include "tests/fuzz/byte_damage.hpp"
#include "tests/fuzz/every_message.hpp"

namespace {

using trawl::Bytes;
using trawl::Reader;
using trawl::Writer;
namespace fabric = trawl::fabric;

struct Tally {
  std::uint64_t values = 0;
  std::uint64_t errors = 0;
};

void expect(bool kept, fabric::Kind kind, const char* promise) {
  if (!kept) throw std::logic_error(std::string(fabric::name_of(kind)) + ": " + promise);
}

bool took_a_gigabyte() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss >= 1 << 20;  // KiB
}

template <class Message>
bool is_read(const Bytes& bytes, const fabric::Envelope& envelope) {
  Reader reader(bytes);
  try {
    const auto message = Message::read(reader, envelope);
    Writer again;
    message.write(again);
    const auto size = bytes.size() - reader.left();
    expect(again.take() == Bytes(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(size)),
           Message::kind, "what was read is what would be written");
    return true;
  } catch (const trawl::BadBytes&) {
  } catch (const trawl::Error&) {
    expect(Message::kind == fabric::Kind::hello, Message::kind, "only HELLO tells of programs");
  }
  return false;
}

template <class Message>
void damage_one(fuzz::ByteDamage& bits, std::vector<Bytes>& seen, Tally& tally) {
  const fabric::Envelope envelope{2, bits.one_in(2) ? 0 : 1, 3};
  Writer sound;
  trawl::test::Sampler(bits(), envelope).sample<Message>().write(sound);
  Bytes bytes = sound.take();
  expect(is_read<Message>(bytes, envelope), Message::kind, "a sound message is read");
  seen.push_back(bytes);
  if (bits.one_in(20)) bytes = bits.noise();
  bits.damage(bytes, 0, seen);
  if (bits.one_in(8)) bytes.push_back(std::byte{0});
  ++(is_read<Message>(bytes, envelope) ? tally.values : tally.errors);
}

}  // namespace

int main(int argc, char** argv) {
  const auto cases = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 100'000;
  const auto first = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 0;
  std::array<Tally, fabric::kinds> tallies{};
  for (auto number = first; number < first + cases; ++number) {
    fuzz::ByteDamage bits(number);
    std::vector<Bytes> seen;  // for splices of one kind into another
    try {
      trawl::test::for_each_message([&]<class Message>(const Message&) {
        damage_one<Message>(bits, seen, tallies[static_cast<std::size_t>(Message::kind)]);
      });
    } catch (const std::exception& e) {
      std::printf("case %llu: %s\n", static_cast<unsigned long long>(number), e.what());
      return 1;
    }
  }
  bool sound = !took_a_gigabyte();
  for (const auto& row : fabric::table::rows) {
    if (row.kind == fabric::Kind{fabric::kinds}) break;
    const auto& [values, errors] = tallies[static_cast<std::size_t>(row.kind)];
    std::printf("%s: %llu values, %llu errors\n", row.name.data(),
                static_cast<unsigned long long>(values), static_cast<unsigned long long>(errors));
    sound = sound && errors > 0 && values > 0;
  }
  // A `read` that refuses all or nothing hasn't been tested.
  return sound || argc > 1 ? 0 : 1;
}
