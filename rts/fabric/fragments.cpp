#include "rts/fabric/fragments.hpp"

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>

namespace trawl::fabric {
namespace {

constexpr std::byte whole{'W'};
constexpr std::byte fragment{'F'};
constexpr std::byte with_view{0x80};  // and the view, in two bytes: it is whole, and not the first
constexpr unsigned id_bits = 48;      // of a fragment's id; the rest is the prefix of the message

struct Header {
  std::uint64_t id;     ///< of the message, unique at its sender
  std::uint64_t index;  ///< of this fragment
  std::uint64_t total;  ///< length of the message behind its prefix
};

constexpr std::size_t header_size = Fragmenter::prefix + sizeof(Header);

/// So long, at most, the PE's lock is held for what is kept.
constexpr std::size_t bytes_a_turn = std::size_t{512} << 10U;

/// What every fragment but the last carries.
std::size_t chunk_size(std::size_t limit) {
  if (limit <= header_size) throw Error("the fabric's messages are too short to hold a fragment");
  return limit - header_size;
}

[[noreturn]] void refuse(int from, const std::string& why) {
  throw BadBytes("bad message from PE " + std::to_string(from) + ": " + why);
}

void copy(std::byte* to, std::span<const std::byte> from) {
  if (!from.empty()) std::memcpy(to, from.data(), from.size());
}

struct Fragment {
  Header header;
  std::uint64_t last;  ///< the index of its message's last one
  std::span<const std::byte> data;
};

Fragment checked(const Arrival& arrival, std::size_t limit) {
  const int from = arrival.from;
  if (arrival.bytes.size() <= header_size) refuse(from, "a fragment without content");
  Reader reader(arrival.bytes.subspan(Fragmenter::prefix));
  const auto header = reader.get<Header>();
  const auto data = reader.rest();

  const std::uint64_t chunk = chunk_size(limit);
  if (header.total > Fragmenter::max_message || header.total + Fragmenter::prefix <= limit)
    refuse(from, "a fragment of a message of " + std::to_string(header.total) + " bytes");
  const auto last = (header.total - 1) / chunk;
  if (header.index > last) refuse(from, "a fragment past the end of its message");
  if (data.size() != (header.index == last ? header.total - last * chunk : chunk))
    refuse(from, "a fragment of the wrong length");
  if (header.index == 0 && !row_of(data).is(may_be_long))
    refuse(from, std::string(row_of(data).name) + " in fragments");
  return {header, last, data};
}

}  // namespace

void Fragmenter::begin(Writer& message, std::size_t view) {
  message.put(view == 0 ? whole : with_view | static_cast<std::byte>(view % views >> 8U));
  message.put(static_cast<std::byte>(view & 0xffU));
}

std::size_t Fragmenter::view_of(std::span<const std::byte> message) noexcept {
  const auto first = message[0];
  if ((first & with_view) == std::byte{0}) return 0;
  return std::to_integer<std::size_t>(first ^ with_view) << 8U |
         std::to_integer<std::size_t>(message[1]);
}

bool Fragmenter::is_whole(std::byte first) const noexcept {
  return first == whole || (views_ && (first & with_view) != std::byte{0});
}

void Fragmenter::send(Fabric& fabric, int to, Writer& message) {
  if (message.view().size() < prefix || !is_whole(message.view().front()))
    throw Error("a message came without its prefix");
  const auto size = message.size();
  if (size > max_message) throw Error("a message is longer than 1 TiB");
  const auto limit = fabric.limit();
  const bool is_short = size <= std::min(short_message, limit);
  const auto found = kept_.empty() ? kept_.end() : kept_.find(to);
  const bool waits = found != kept_.end() && !is_short;
  const auto room = is_short ? most_unsent_of_all : most_unsent;
  if (!waits && size <= limit && fabric.unsent(to) < room) return put(fabric, to, message);
  auto& kept = found != kept_.end() ? found->second : kept_[to];
  const auto first = std::to_integer<std::uint64_t>(message.view()[0]) << 8U |
                     std::to_integer<std::uint64_t>(message.view()[1]);
  kept.push_back({std::move(message), ++last_id_ | first << id_bits});
  auto budget = bytes_a_turn;
  if (!waits) go_on(fabric, to, budget);
}

void Fragmenter::put(Fabric& fabric, int to, const Writer& message) {
  if (!message.has_laid()) return fabric.send(to, message.view());
  fragment_.resize(message.size());
  message.copy(0, fragment_);
  fabric.send(to, fragment_);
}

// Begins with another PE each time.
void Fragmenter::go_on(Fabric& fabric) {
  auto budget = bytes_a_turn;
  first_ = (first_ + 1) % fabric.size();
  for (int i = 0; i < fabric.size() && !kept_.empty() && budget != 0; ++i)
    go_on(fabric, (first_ + i) % fabric.size(), budget);
}

void Fragmenter::go_on(Fabric& fabric, int to, std::size_t& budget) {
  const auto found = kept_.find(to);
  if (found == kept_.end()) return;
  auto& queue = found->second;
  while (!queue.empty() && go_on(fabric, to, queue.front(), budget)) queue.pop_front();
  if (queue.empty()) kept_.erase(found);
}

// True when all of it has been handed over. If the fabric throws, it has not had that fragment.
bool Fragmenter::go_on(Fabric& fabric, int to, Kept& kept, std::size_t& budget) {
  const auto spend = [&](std::size_t bytes) { budget -= std::min(budget, bytes); };
  if (kept.message.size() <= fabric.limit()) {
    if (budget == 0 || fabric.unsent(to) >= most_unsent) return false;
    put(fabric, to, kept.message);
    spend(kept.message.size());
    return true;
  }
  const auto chunk = chunk_size(fabric.limit());
  const auto total = kept.message.size() - prefix;
  for (; kept.next * chunk < total; ++kept.next) {
    if (budget == 0 || fabric.unsent(to) >= most_unsent) return false;
    const Header header{kept.id, kept.next, total};
    const auto size = std::min(chunk, total - kept.next * chunk);
    fragment_.resize(header_size + size);
    fragment_[0] = fragment;
    fragment_[1] = std::byte{0};
    copy(fragment_.data() + prefix, std::as_bytes(std::span(&header, 1)));
    kept.message.copy(prefix + kept.next * chunk, std::span(fragment_).subspan(header_size));
    fabric.send(to, fragment_);
    spend(size);
  }
  return true;
}

void Fragmenter::drop_work() {
  for (auto& [to, queue] : kept_)
    std::erase_if(queue, [](const Kept& kept) {
      return row_of(kept.message.view().subspan(prefix)).flow == Flow::work;
    });
  std::erase_if(kept_, [](const auto& entry) { return entry.second.empty(); });
}

std::optional<Arrival> Fragmenter::receive(Fabric& fabric) {
  complete_ = Bytes();
  auto arrival = fabric.poll();  // and this one is returned, without a copy
  if (!arrival) return arrival;
  if (arrival->bytes.empty()) refuse(arrival->from, "it is empty");
  if (is_whole(arrival->bytes.front())) {
    if (arrival->bytes.size() < prefix) refuse(arrival->from, "it is shorter than its prefix");
    return arrival;
  }
  if (arrival->bytes.front() != fragment) refuse(arrival->from, "its first byte is unknown");
  *arrival = accept(*arrival, fabric.limit());
  return arrival;
}

// There is room for what is announced as far as what has come makes that believable: memory stays
// within eight times of what the sender really sent.
void Fragmenter::Unfinished::append(std::span<const std::byte> data) {
  const auto needed = filled + data.size();
  if (needed > message.size()) {
    Bytes larger(std::min<std::uint64_t>(total + prefix, 8 * needed));
    copy(larger.data(), std::span(message).first(message.empty() ? 0 : filled));
    larger[0] = whole;
    larger[1] = std::byte{0};
    message = std::move(larger);
  }
  copy(message.data() + filled, data);
  filled = needed;
}

Arrival Fragmenter::accept(const Arrival& arrival, std::size_t limit) {
  const int from = arrival.from;
  const auto [header, last, data] = checked(arrival, limit);
  auto& messages = unfinished_[from];
  auto found = messages.find(header.id);
  if (found == messages.end()) {
    if (messages.size() >= max_unfinished) refuse(from, "too many unfinished messages");
    found = messages.emplace(header.id, Unfinished{header.total}).first;
    ++unfinished_count_;
  }
  auto& entry = found->second;
  if (entry.total != header.total) refuse(from, "fragments disagree about their message's length");
  if (header.index < entry.next || entry.early.contains(header.index))
    refuse(from, "the same fragment came twice");
  if (header.index != entry.next) {
    entry.early.emplace(header.index, copy_of(arrival.bytes));
    return {from, {}};
  }
  entry.append(data);
  ++entry.next;
  for (auto next = entry.early.begin(); next != entry.early.end() && next->first == entry.next;
       next = entry.early.erase(next), ++entry.next) {
    entry.append(std::span(next->second).subspan(header_size));
  }
  if (entry.next <= last) return {from, {}};
  complete_ = std::move(entry.message);
  if (const auto first = static_cast<std::byte>(header.id >> id_bits >> 8U); is_whole(first)) {
    complete_[0] = first;
    complete_[1] = static_cast<std::byte>(header.id >> id_bits & 0xffU);
  }
  messages.erase(found);
  --unfinished_count_;
  return {from, complete_};
}

}  // namespace trawl::fabric
