#include "rts/fabric/net/members.hpp"

#include <algorithm>
#include <numeric>
#include <type_traits>

#include "rts/fabric/net/frames.hpp"

namespace trawl::fabric::net {

static_assert(std::is_trivially_copyable_v<Member>);
static_assert(most_pes * sizeof(Member) + 3 * sizeof(std::uint32_t) <= longest_frame);

Bytes write(const Member& member) {
  Writer out;
  out.put(member);
  return out.take();
}

namespace {

Member take_member(Reader& in) {
  auto member = in.get<Member>();
  if (member.is > Member::Is::to_come) throw BadBytes("a card of nobody that can be");
  const bool there = member.is == Member::Is::there;
  if (there && member.card.process <= 0) throw BadBytes("a card without a process");
  if (member.wanted_pe < -1 || member.wanted_pe >= static_cast<std::int32_t>(most_pes))
    throw BadBytes("a card that wants to be a PE that can't be");
  return member;
}

void expect_end(const Reader& in) {
  if (in.left() != 0) throw BadBytes("there is something behind a card");
}

}  // namespace

Member read_member(std::span<const std::byte> bytes) {
  Reader in(bytes);
  auto member = take_member(in);
  expect_end(in);
  return member;
}

Bytes write(const Members& members) {
  Writer out;
  out.put(members.self);
  out.put(members.admits);
  out.put(static_cast<std::uint32_t>(members.all.size()));
  for (const auto& member : members.all) out.put(member);
  return out.take();
}

Members read_members(std::span<const std::byte> bytes) {
  Reader in(bytes);
  Members members;
  members.self = in.get<std::uint32_t>();
  members.admits = in.get<std::uint32_t>();
  const auto count = in.get<std::uint32_t>();
  if (count < 2 || count > most_pes || members.self == 0 || members.self >= count ||
      members.admits > 1)
    throw BadBytes("members of a run that can't be");
  for (std::uint32_t pe = 0; pe < count; ++pe) members.all.push_back(take_member(in));
  expect_end(in);
  if (members.all[members.self].is != Member::Is::there)
    throw BadBytes("members of a run that can't be");
  return members;
}

std::vector<std::size_t> numbering(const Member& main, std::span<const Member> others) {
  std::vector<std::size_t> order(others.size());
  std::iota(order.begin(), order.end(), 0);
  const auto wants = [&](std::size_t at) { return others[at].wanted_pe; };
  auto wanted = order;
  std::sort(wanted.begin(), wanted.end(),
            [&](std::size_t a, std::size_t b) { return wants(a) < wants(b); });
  bool met = true;
  for (std::size_t i = 0; i < wanted.size(); ++i)
    met = met && wants(wanted[i]) == static_cast<std::int32_t>(i) + 1;
  if (met) return wanted;
  const auto host_came = [&](std::size_t at) {
    const auto kernel = others[at].card.kernel;
    if (kernel == main.card.kernel) return std::ptrdiff_t{-1};
    return std::find_if(others.begin(), others.end(),
                        [&](const Member& each) { return each.card.kernel == kernel; }) -
           others.begin();
  };
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return host_came(a) < host_came(b); });
  return order;
}

}  // namespace trawl::fabric::net
