#include "rts/fabric/net/handshake.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <string>

#include <sodium.h>

#include "rts/inline/error.hpp"

namespace trawl::fabric::net {
namespace {

constexpr std::array<char, 8> magic{'T', 'R', 'A', 'W', 'L', 'N', 'E', 'T'};
constexpr std::size_t tag_size = 32;

static_assert(sizeof(Identity) == 48 && crypto_scalarmult_BYTES == 32 &&
              crypto_scalarmult_SCALARBYTES == 32);

using Tag = std::array<std::uint8_t, tag_size>;

const std::uint8_t* raw(std::span<const std::byte> bytes) {
  return reinterpret_cast<const std::uint8_t*>(bytes.data());
}

Tag tag_of(const std::array<std::uint8_t, 32>& key, std::span<const std::byte> first,
           std::span<const std::byte> second = {}) {
  crypto_generichash_state state;
  Tag tag{};
  crypto_generichash_init(&state, key.data(), key.size(), tag.size());
  crypto_generichash_update(&state, raw(first), first.size());
  crypto_generichash_update(&state, raw(second), second.size());
  crypto_generichash_final(&state, tag.data(), tag.size());
  return tag;
}

bool same(const Tag& tag, std::span<const std::byte> bytes) {
  return bytes.size() == tag.size() && sodium_memcmp(tag.data(), bytes.data(), tag.size()) == 0;
}

Secret new_secret() {
  Secret secret{};
  fill_with_random(secret);
  return secret;
}

Secret public_of(const Secret& secret) {
  Secret shown{};
  crypto_scalarmult_base(shown.data(), secret.data());
  return shown;
}

/// Nothing, if the other end has chosen a public key of which every secret makes the same.
std::optional<Session> session_of(const Key& key, const Secret& own,
                                  std::span<const std::byte> shown,
                                  std::span<const std::byte> knock,
                                  std::span<const std::byte> answer) {
  Secret common{};
  if (crypto_scalarmult(common.data(), own.data(), raw(shown)) != 0) return std::nullopt;
  crypto_generichash_state state;
  std::array<std::uint8_t, 2 * sizeof(Secret)> both{};
  crypto_generichash_init(&state, key.bytes.data(), key.bytes.size(), both.size());
  crypto_generichash_update(&state, common.data(), common.size());
  crypto_generichash_update(&state, raw(knock), knock.size());
  crypto_generichash_update(&state, raw(answer), answer.size());
  crypto_generichash_final(&state, both.data(), both.size());
  Session session;
  std::copy_n(both.begin(), sizeof(Secret), session.from_knocker.begin());
  std::copy_n(both.begin() + sizeof(Secret), sizeof(Secret), session.to_knocker.begin());
  sodium_memzero(common.data(), common.size());
  return session;
}

std::span<const std::byte> without_tag(std::span<const std::byte> bytes) {
  return bytes.first(bytes.size() - tag_size);
}

void put_tag(Writer& out, const Key& key, std::span<const std::byte> before) {
  out.put(tag_of(key.bytes, before, out.view()));
}

constexpr std::size_t shown_at_end = 32 + tag_size;  // the public key, then the tag

std::span<const std::byte> shown_in(std::span<const std::byte> message) {
  return message.subspan(message.size() - shown_at_end, 32);
}

template <std::size_t N>
void write(std::array<char, N>& field, std::string_view text) {
  std::copy_n(text.begin(), std::min(text.size(), N), field.begin());
}

constexpr const char* processor =
#if defined(__x86_64__)
    "x86_64";
#elif defined(__aarch64__)
    "aarch64";
#elif defined(__powerpc64__)
    "ppc64";
#elif defined(__riscv)
    "riscv";
#else
    "other";
#endif

struct Said {
  std::string_view of_other, of_self;
};

constexpr std::array<Said, 8> words{{
    {"", ""},
    {"it is no PE of Trawl", "what listens there is no PE of Trawl"},
    {"it has no key, or another one", "this PE has no key (TRAWL_KEY), or another one"},
    {"it is of another architecture", "this PE is of another architecture"},
    {"it has another version of Trawl", "this PE has another version of Trawl"},
    {"it runs another program", "this PE runs another program"},
    {"it was started with other arguments or flags",
     "this PE was started with other arguments, or other flags of those that are alike on all PEs: "
     "start it by the line that trawl-run has printed"},
    {"it has another --trawl:encrypt", "this PE has another --trawl:encrypt"},
}};

}  // namespace

Identity own_identity(std::string_view version, std::uint64_t program, std::uint64_t flags) {
  Identity identity;
  write(identity.version, version);
  write(identity.architecture, std::string(processor) + " " + std::to_string(8 * sizeof(void*)) +
                                   (std::endian::native == std::endian::little ? "l" : "b"));
  identity.program = program;
  identity.flags = flags;
  return identity;
}

std::string_view said_of_other(Verdict verdict) {
  return words[static_cast<std::size_t>(verdict)].of_other;
}

std::string_view said_of_self(Verdict verdict) {
  return words[static_cast<std::size_t>(verdict)].of_self;
}

Knocker::Knocker(const Terms& terms) : terms_(terms), secret_(new_secret()) {
  Writer out;
  out.put(magic);
  out.put(terms.identity);
  out.put(static_cast<std::uint8_t>(terms.sealed));
  out.put(public_of(secret_));
  put_tag(out, terms.key, {});
  knock_ = out.take();
}

Verdict Knocker::read(std::span<const std::byte> answer) {
  if (answer.size() != answer_size || std::memcmp(answer.data(), magic.data(), magic.size()) != 0)
    return Verdict::stranger;
  const auto verdict = std::to_integer<std::uint8_t>(answer[magic.size()]);
  if (verdict >= words.size()) return Verdict::stranger;
  // A refusal is believed without proof: who has no key could not check one.
  if (verdict != 0) return static_cast<Verdict>(verdict);
  if (!same(tag_of(terms_.key.bytes, knock_, without_tag(answer)), answer.last(tag_size)))
    return Verdict::key;
  const auto session = session_of(terms_.key, secret_, shown_in(answer), knock_, answer);
  if (!session) return Verdict::stranger;
  session_ = *session;
  const auto tag = tag_of(session_.from_knocker, knock_, answer);
  confirm_ = copy_of(std::as_bytes(std::span(tag)));
  return Verdict::come_in;
}

// In an order in which each answer says no more than what its receiver has proved to may know.
Verdict Doorkeeper::judge(std::span<const std::byte> knock) const {
  if (knock.size() != knock_size || std::memcmp(knock.data(), magic.data(), magic.size()) != 0)
    return Verdict::stranger;
  if (terms_.key == Key() ||
      !same(tag_of(terms_.key.bytes, without_tag(knock)), knock.last(tag_size)))
    return Verdict::key;
  Identity other;
  std::memcpy(&other, knock.data() + magic.size(), sizeof other);
  const auto& own = terms_.identity;
  if (other.architecture != own.architecture) return Verdict::architecture;
  if (other.version != own.version) return Verdict::version;
  if (other.program != own.program) return Verdict::program;
  if (other.flags != own.flags && other.flags != 0 && own.flags != 0) return Verdict::flags;
  const auto sealed = std::to_integer<std::uint8_t>(knock[magic.size() + sizeof other]);
  return sealed == static_cast<std::uint8_t>(terms_.sealed) ? Verdict::come_in : Verdict::sealing;
}

bool Doorkeeper::may_be_knock(std::span<const std::byte> beginning) {
  return std::memcmp(beginning.data(), magic.data(), std::min(beginning.size(), magic.size())) == 0;
}

Verdict Doorkeeper::read(std::span<const std::byte> knock) {
  auto verdict = judge(knock);
  const auto secret = new_secret();
  Writer out;
  out.put(magic);
  out.put(verdict);
  out.put(public_of(secret));
  if (verdict == Verdict::come_in) {
    put_tag(out, terms_.key, knock);
  } else {
    out.put(Tag{});
  }
  answer_ = out.take();
  if (verdict != Verdict::come_in) return verdict;
  const auto session = session_of(terms_.key, secret, shown_in(knock), knock, answer_);
  if (!session) return Verdict::stranger;
  session_ = *session;
  const auto tag = tag_of(session_.from_knocker, knock, answer_);
  expected_ = copy_of(std::as_bytes(std::span(tag)));
  return verdict;
}

bool Doorkeeper::confirmed(std::span<const std::byte> confirm) const {
  return expected_.size() == confirm.size() && !expected_.empty() &&
         sodium_memcmp(expected_.data(), confirm.data(), confirm.size()) == 0;
}

}  // namespace trawl::fabric::net
