#include "rts/balance/fish.hpp"

#include <algorithm>

namespace trawl::balance {
namespace {

std::int32_t get_pe(Reader& in, const fabric::Envelope& envelope) {
  const auto pe = in.get<std::int32_t>();
  if (!envelope.has(static_cast<std::uint32_t>(pe)))
    throw BadBytes("a fish with a PE that does not exist");
  return pe;
}

}  // namespace

bool Fish::has_visited(int pe) const noexcept {
  const auto pes = visited();
  return std::find(pes.begin(), pes.end(), pe) != pes.end();
}

void Fish::visit(int pe) noexcept {
  if (age < max_age) seen[age++] = pe;
}

void Fish::write(Writer& out) const {
  out.put(std::int32_t{thief});
  out.put(number);
  out.put(patience);
  out.put(hungry);
  out.put(static_cast<std::uint8_t>(ahead));
  out.put(wants);
  out.put(static_cast<std::uint8_t>(age));
  for (const auto pe : visited()) out.put(pe);
}

Fish Fish::read(Reader& in, const fabric::Envelope& envelope) {
  Fish fish;
  fish.thief = get_pe(in, envelope);
  fish.number = in.get<std::uint16_t>();
  if (fish.number == 0) throw BadBytes("a fish without a number");
  fish.patience = in.get<Nanos>();
  if (fish.patience < 0 || fish.patience > longest_patience)
    throw BadBytes("a fish of impossible patience");
  fish.hungry = in.get<Nanos>();
  if (fish.hungry < 0 || fish.hungry > most_hungry) throw BadBytes("a fish of impossible hunger");
  const auto ahead = in.get<std::uint8_t>();
  if (ahead > 1) throw BadBytes("a fish that is neither ahead nor not");
  fish.ahead = ahead == 1;
  fish.wants = in.get<std::uint8_t>();
  if (fish.wants == 0) throw BadBytes("a fish that wants nothing");
  const auto age = in.get<std::uint8_t>();
  if (age > max_age) throw BadBytes("a fish too old");
  while (fish.age < age) fish.visit(get_pe(in, envelope));
  in.end();
  return fish;
}

}  // namespace trawl::balance
