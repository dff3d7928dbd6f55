// What trawl-top makes of damaged tables of a run: BadBytes, or a table that is written so, and can
// be shown on any terminal. To be run under sanitizers; `pulse_fuzz [cases [first]]`.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <stdexcept>
#include <string>
#include <vector>

#include "profiles/top/sample.hpp"
#include "profiles/top/show.hpp"
#include "tests/fuzz/byte_damage.hpp"

namespace {

using trawl::Bytes;
namespace top = trawl::top;
namespace trace = trawl::trace;

void expect(bool kept, const char* promise) {
  if (!kept) throw std::logic_error(promise);
}

trace::Table sample(fuzz::ByteDamage& bits) {
  trace::Table table;
  table.head.number = bits();
  table.head.time = static_cast<trawl::Nanos>(bits.below(1U << 30U));
  table.head.interval = 1'000'000'000;
  table.head.pid = static_cast<std::int32_t>(1 + bits.below(1000));
  trace::set_name(table.head.program, "sum_euler");
  table.rows.resize(1 + bits.below(5));
  for (auto& row : table.rows) {
    row.presence = static_cast<trace::Presence>(bits.below(5));
    if (bits.one_in(3)) continue;
    row.heard = table.head.time / 2;
    row.pulse.sparks = static_cast<std::uint32_t>(bits());
    row.pulse.sparks_converted = bits.interesting();
    row.pulse.message_bytes = bits.interesting();
    row.pulse.idle = bits.below(1U << 30U);
    trace::set_name(row.pulse.cluster, bits.one_in(2) ? "north" : "south");
  }
  table.links.resize(bits.below(3));
  return table;
}

// Else hardly any case would come so far as to be looked at.
void mend(Bytes& bytes) {
  if (bytes.size() < 16) return;
  bytes.resize(bytes.size() / 8 * 8);
  const auto sum = trace::checksum(std::span<const std::byte>(bytes).first(bytes.size() - 8));
  std::memcpy(bytes.data() + bytes.size() - 8, &sum, 8);
}

void show(const trace::Table& table, top::History& history, fuzz::ByteDamage& bits) {
  const auto seen = history.take(table);
  const auto width = 1 + bits.below(150);
  const auto text = top::table(seen, width, 5 + bits.below(20));
  std::size_t length = 0;
  for (const char c : text) {
    expect(c == '\n' || (c >= ' ' && c <= '~'), "only what can be printed is shown");
    length = c == '\n' ? 0 : length + 1;
    expect(length <= width, "no line is too long");
  }
  const auto replace = nlohmann::json::error_handler_t::replace;
  expect(!top::to_json(seen).dump(-1, ' ', false, replace).empty(), "it is written as JSON");
}

}  // namespace

int main(int argc, char** argv) {
  const auto cases = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 50'000;
  const auto first = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 0;
  unsigned long long tables = 0, errors = 0;
  for (auto number = first; number < first + cases; ++number) {
    fuzz::ByteDamage bits(number);
    top::History history;
    try {
      std::vector<Bytes> seen{trace::encode(sample(bits)), trace::encode(sample(bits))};
      for (const auto& sound : seen) show(trace::decode_table(sound), history, bits);
      Bytes bytes = seen[0];
      if (bits.one_in(20)) bytes = bits.noise();
      bits.damage(bytes, bits.one_in(2) ? 0 : trace::pulse_prefix, seen);
      if (!bits.one_in(4)) mend(bytes);
      try {
        const auto table = trace::decode_table(bytes);
        expect(trace::encode(table) == bytes, "what was read is what would be written");
        show(table, history, bits);
        ++tables;
      } catch (const trawl::BadBytes&) {
        ++errors;
      }
    } catch (const std::exception& e) {
      std::printf("case %llu: %s\n", number, e.what());
      return 1;
    }
  }
  std::printf("%llu tables, %llu errors\n", tables, errors);
  // A reader that refuses all or nothing hasn't been tested.
  return (tables > 0 && errors > 0) || argc > 1 ? 0 : 1;
}
