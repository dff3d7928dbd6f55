// Messages of any length over a fabric that bounds theirs.
#pragma once

#include <deque>
#include <map>
#include <optional>
#include <span>
#include <unordered_map>

#include "rts/fabric/fabric.hpp"
#include "rts/fabric/kinds.hpp"

namespace trawl::fabric {

/// Cuts messages longer than a fabric's limit() into fragments and puts them together again. One
/// per PE, used under the same lock as its fabric. All PEs' fabrics have the same limit().
///
/// The first `prefix` bytes of every message belong to the Fragmenter: the sender has them written
/// (`begin`), the receiver skips them (`payload`). So a message that fits is not copied.
class Fragmenter {
 public:
  static constexpr std::size_t prefix = 2;

  /// The longest message, in bytes.
  static constexpr std::uint64_t max_message = std::uint64_t{1} << 40;

  /// The most messages one PE may have begun and not finished.
  static constexpr std::size_t max_unfinished = 4096;

  /// Of views, numbers are told apart modulo this: nobody may be half as far behind another.
  static constexpr std::size_t views = 1U << 15U;
  /// Writes the prefix of a message, and with it which view (life::View) its sender has.
  static void begin(Writer& message, std::size_t view = 0);
  /// What was written there.
  static std::size_t view_of(std::span<const std::byte> message) noexcept;
  /// Messages come with views other than 0: until then they are refused.
  void expect_views() noexcept { views_ = true; }
  /// What is handed to the fabric for one PE and has not left: of long messages, and of all.
  static constexpr std::size_t most_unsent = std::size_t{1} << 20U;
  static constexpr std::size_t most_unsent_of_all = 2 * most_unsent;

  /// Sends a message that starts with its prefix, or takes it and keeps what there is no room for.
  /// Messages of up to `short_message` bytes don't wait for long ones.
  void send(Fabric& fabric, int to, Writer& message);

  /// Hands the fabric more of what is kept: never much at a time, and not before it has sent most
  /// of what it was handed, so that memory does not fill with copies.
  void go_on(Fabric& fabric);
  bool keeps_any() const noexcept { return !kept_.empty(); }
  /// Is more of a message expected, or to be sent?
  bool under_way() const noexcept { return keeps_any() || unfinished_count_ != 0; }
  /// The run is over: of what is kept, drops what is about work.
  void drop_work();

  /// Of what is handed to the fabric for one PE: beyond the first, fragments wait, beyond the
  /// second, all do.
  static constexpr std::size_t short_message = 4096;

  /// What has arrived next, if anything: a whole message, or without bytes, where it was a fragment
  /// of one that is not whole yet. The bytes stay there until the next call.
  /// Throws BadBytes, naming the sender, for a fragment that makes no sense, or of a message that
  /// may not be long; the fragment is dropped and receiving can go on.
  std::optional<Arrival> receive(Fabric& fabric);

  /// What the sender wrote behind the prefix.
  static std::span<const std::byte> payload(const Arrival& arrival) noexcept {
    return arrival.bytes.subspan(prefix);
  }

  /// Drops what a PE that is gone has left unfinished.
  void forget_from(int pe) {
    if (const auto found = unfinished_.find(pe); found != unfinished_.end()) {
      unfinished_count_ -= found->second.size();
      unfinished_.erase(found);
    }
  }
  /// Drops what is kept for it.
  void forget_for(int pe) { kept_.erase(pe); }

  /// A message that has arrived, as one's own. What came in fragments is not copied, nor does it
  /// move.
  Bytes keep(const Arrival& arrival) {
    const bool ours = !complete_.empty() && arrival.bytes.data() == complete_.data();
    return ours ? std::move(complete_) : copy_of(arrival.bytes);
  }

 private:
  /// A message in the making: its first `next` fragments are in place, those that overtook wait.
  struct Unfinished {
    std::uint64_t total;
    std::uint64_t next = 0;
    std::map<std::uint64_t, Bytes> early{};
    Bytes message{};  ///< the first `filled` bytes are there
    std::size_t filled = prefix;

    void append(std::span<const std::byte> data);
  };

  /// A message of which the fabric has had the first fragments.
  struct Kept {
    Writer message;
    std::uint64_t id = 0;
    std::uint64_t next = 0;
  };

  void put(Fabric& fabric, int to, const Writer& message);
  bool go_on(Fabric& fabric, int to, Kept& kept, std::size_t& budget);
  void go_on(Fabric& fabric, int to, std::size_t& budget);
  Arrival accept(const Arrival& arrival, std::size_t limit);

  bool is_whole(std::byte first) const noexcept;

  bool views_ = false;
  std::uint64_t last_id_ = 0;
  std::unordered_map<int, std::unordered_map<std::uint64_t, Unfinished>> unfinished_;
  std::size_t unfinished_count_ = 0;
  Bytes complete_;  // the last that came in fragments
  std::map<int, std::deque<Kept>> kept_;
  int first_ = 0;  // whose turn it is
  Bytes fragment_;
};

}  // namespace trawl::fabric
