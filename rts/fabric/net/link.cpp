#include "rts/fabric/net/link.hpp"

#include <algorithm>
#include <cstring>

namespace trawl::fabric::net {
namespace {

constexpr std::size_t worth_moving = std::size_t{256} << 10U;

}  // namespace

Link::Link(Socket socket, const Session* session, bool knocker)
    : socket_(std::move(socket)),
      sealer_(session == nullptr ? nullptr
              : knocker          ? &session->from_knocker
                                 : &session->to_knocker),
      reader_(session == nullptr ? nullptr
              : knocker          ? &session->to_knocker
                                 : &session->from_knocker) {}

// What has come is still to be read: it may have been the other end's goodbye.
void Link::cannot_write() noexcept {
  writes_ = false;
  out_.clear();
  sent_ = 0;
}

void Link::send(Frame kind, std::span<const std::byte> content) {
  if (!writes_) return;
  if (sealer_.seals() || unsent() != 0) {
    if (sent_ > worth_moving) {
      out_.erase(out_.begin(), out_.begin() + static_cast<std::ptrdiff_t>(sent_));
      sent_ = 0;
    }
    sealer_.append(kind, content, out_);
    if (unsent() < worth_moving) flush();
    return;
  }
  const auto head = Sealer::head(kind, content.size());
  const auto head_bytes = std::as_bytes(std::span(&head, 1));
  const auto count = socket_.write(head_bytes, content);
  if (count.what == Socket::Moved::ended) return cannot_write();
  if (count.bytes == frame_head + content.size()) return;
  sealer_.append(kind, content, out_);
  sent_ = count.bytes;
}

void Link::flush() noexcept {
  while (writes_ && unsent() != 0) {
    const auto count = socket_.write(std::span(out_).subspan(sent_));
    if (count.what == Socket::Moved::none) return;
    if (count.what == Socket::Moved::ended) return cannot_write();
    sent_ += count.bytes;
  }
  out_.clear();
  sent_ = 0;
}

bool Link::fill() {
  if (ended_) return false;
  const auto count = socket_.read(reader_.room());
  if (count.what == Socket::Moved::ended) {
    ended_ = true;
    cannot_write();
  }
  reader_.filled(count.bytes);
  return count.what == Socket::Moved::some;
}

}  // namespace trawl::fabric::net
