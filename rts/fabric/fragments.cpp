#include "rts/fabric/fragments.hpp"

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>

namespace trawl::fabric {
namespace {

constexpr std::byte whole{'W'};
constexpr std::byte fragment{'F'};

struct Header {
  std::uint64_t id;     ///< of the message, unique at its sender
  std::uint64_t index;  ///< of this fragment
  std::uint64_t total;  ///< length of the message behind its prefix
};

constexpr std::size_t header_size = Fragmenter::prefix + sizeof(Header);

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

}  // namespace

void Fragmenter::begin(Writer& message) {
  message.put(whole);
}

void Fragmenter::send(Fabric& fabric, int to, std::span<const std::byte> message) {
  if (message.empty() || message.front() != whole) throw Error("a message came without its prefix");
  if (message.size() <= fabric.limit()) return fabric.send(to, message);
  const auto chunk = chunk_size(fabric.limit());
  const auto payload = message.subspan(prefix);
  if (payload.size() > max_message) throw Error("a message is longer than 1 TiB");
  Header header{++last_id_, 0, payload.size()};
  Bytes bytes(fabric.limit());
  bytes.front() = fragment;
  for (std::size_t at = 0; at < payload.size(); at += chunk, ++header.index) {
    const auto data = payload.subspan(at, std::min(chunk, payload.size() - at));
    copy(bytes.data() + prefix, std::as_bytes(std::span(&header, 1)));
    copy(bytes.data() + header_size, data);
    fabric.send(to, std::span(bytes).first(header_size + data.size()));
  }
}

std::optional<Arrival> Fragmenter::receive(Fabric& fabric) {
  complete_ = Bytes();
  const auto arrival = fabric.poll();
  if (!arrival) return std::nullopt;
  if (arrival->bytes.empty()) refuse(arrival->from, "it is empty");
  if (arrival->bytes.front() == whole) return arrival;
  if (arrival->bytes.front() != fragment) refuse(arrival->from, "its first byte is unknown");
  return accept(*arrival, fabric.limit());
}

// There is room for what is announced as far as what has come makes that believable: memory stays
// within eight times of what the sender really sent.
void Fragmenter::Unfinished::append(std::span<const std::byte> data) {
  const auto needed = filled + data.size();
  if (needed > message.size()) {
    Bytes larger(std::min<std::uint64_t>(total + prefix, 8 * needed));
    copy(larger.data(), std::span(message).first(message.empty() ? 0 : filled));
    larger.front() = whole;
    message = std::move(larger);
  }
  copy(message.data() + filled, data);
  filled = needed;
}

Arrival Fragmenter::accept(const Arrival& arrival, std::size_t limit) {
  const int from = arrival.from;
  if (arrival.bytes.size() <= header_size) refuse(from, "a fragment without content");
  Reader reader(arrival.bytes.subspan(prefix));
  const auto header = reader.get<Header>();
  const auto data = reader.rest();

  const std::uint64_t chunk = chunk_size(limit);
  if (header.total > max_message || header.total + prefix <= limit) {
    refuse(from, "a fragment of a message of " + std::to_string(header.total) + " bytes");
  }
  const auto last = (header.total - 1) / chunk;
  if (header.index > last) refuse(from, "a fragment past the end of its message");
  if (data.size() != (header.index == last ? header.total - last * chunk : chunk)) {
    refuse(from, "a fragment of the wrong length");
  }

  auto& messages = unfinished_[from];
  auto found = messages.find(header.id);
  if (found == messages.end()) {
    if (messages.size() >= max_unfinished) refuse(from, "too many unfinished messages");
    found = messages.emplace(header.id, Unfinished{header.total}).first;
  }
  auto& entry = found->second;
  if (entry.total != header.total) refuse(from, "fragments disagree about their message's length");
  if (header.index < entry.next || entry.early.contains(header.index)) {
    refuse(from, "the same fragment came twice");
  }

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
  messages.erase(found);
  return {from, complete_};
}

}  // namespace trawl::fabric
