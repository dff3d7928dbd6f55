#include "rts/fabric/net/frames.hpp"

#include <cstring>

#include <sodium.h>

namespace trawl::fabric::net {
namespace {

constexpr std::size_t seal_size = crypto_aead_chacha20poly1305_ietf_ABYTES;
constexpr std::size_t buffer_size = 2 * (frame_head + longest_frame + seal_size);
constexpr std::uint32_t length_bits = 24;

static_assert(longest_frame + seal_size < std::size_t{1} << length_bits);
static_assert(sizeof(Secret) == crypto_aead_chacha20poly1305_ietf_KEYBYTES);

using Nonce = std::array<std::uint8_t, crypto_aead_chacha20poly1305_ietf_NPUBBYTES>;

/// Never twice with the same secret: each direction of each connection has its own.
Nonce nonce_of(std::uint64_t number) {
  Nonce nonce{};
  std::memcpy(nonce.data(), &number, sizeof number);
  return nonce;
}

std::uint8_t* raw(std::byte* bytes) {
  return reinterpret_cast<std::uint8_t*>(bytes);
}

const std::uint8_t* raw(const std::byte* bytes) {
  return reinterpret_cast<const std::uint8_t*>(bytes);
}

}  // namespace

Sealer::Sealer(const Secret* secret) : seals_(secret != nullptr) {
  if (seals_) secret_ = *secret;
}

std::uint32_t Sealer::head(Frame kind, std::size_t length) noexcept {
  return static_cast<std::uint32_t>(length) | static_cast<std::uint32_t>(kind) << length_bits;
}

void Sealer::append(Frame kind, std::span<const std::byte> content, Bytes& out) {
  const auto at = out.size();
  const auto length = content.size() + (seals_ ? seal_size : 0);
  const auto head_bytes = head(kind, length);
  out.resize(at + frame_head + length);
  std::memcpy(out.data() + at, &head_bytes, frame_head);
  auto* into = out.data() + at + frame_head;
  if (!seals_) {
    if (!content.empty()) std::memcpy(into, content.data(), content.size());
    return;
  }
  crypto_aead_chacha20poly1305_ietf_encrypt(raw(into), nullptr, raw(content.data()), content.size(),
                                            raw(out.data() + at), frame_head, nullptr,
                                            nonce_of(number_++).data(), secret_.data());
}

FrameReader::FrameReader(const Secret* secret) : buffer_(buffer_size), sealed_(secret != nullptr) {
  if (sealed_) secret_ = *secret;
}

std::span<std::byte> FrameReader::room() {
  if (begin_ == end_) begin_ = end_ = 0;
  if (begin_ != 0 && buffer_.size() - end_ < buffer_.size() / 4) {
    std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
    end_ -= std::exchange(begin_, 0);
  }
  return std::span(buffer_).subspan(end_);
}

std::optional<FrameReader::Found> FrameReader::next() {
  if (end_ - begin_ < frame_head) return std::nullopt;
  auto* head = buffer_.data() + begin_;
  std::uint32_t bits = 0;
  std::memcpy(&bits, head, frame_head);
  const std::size_t length = bits & ((1U << length_bits) - 1);
  const auto kind = static_cast<std::uint8_t>(bits >> length_bits);
  const auto seal = sealed_ ? seal_size : 0;
  if (kind >= frame_kinds) throw BadBytes("a frame of unknown kind");
  if (length < seal || length > longest_frame + seal)
    throw BadBytes("the length of a frame can't be true");
  if (end_ - begin_ < frame_head + length) return std::nullopt;
  begin_ += frame_head + length;
  auto* content = head + frame_head;
  if (sealed_ && crypto_aead_chacha20poly1305_ietf_decrypt(
                     raw(content), nullptr, nullptr, raw(content), length, raw(head), frame_head,
                     nonce_of(number_++).data(), secret_.data()) != 0)
    throw BadBytes("a frame is not what was sent");
  return Found{static_cast<Frame>(kind), {content, length - seal}};
}

}  // namespace trawl::fabric::net
