// The messages of a run's life: start, "are you there?", end, failure. Layouts, and what they
// promise once they have been read.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "rts/balance/roster.hpp"
#include "rts/fabric/kinds.hpp"
#include "rts/fabric/message.hpp"
#include "rts/inline/bytes.hpp"
#include "rts/trace/stats.hpp"

namespace trawl::life {

/// What a PE says of itself.
///
///     | speed 8 | cores 4 | length 4, host ... | length 4, cluster ... | flags digest 8 | memory 8
///     |
struct Introduction {
  double speed = 1;  ///< finite, above 0
  int cores = 1;     ///< at least 1
  std::string host;
  std::string cluster;
  std::uint64_t flags_digest = 0;  ///< see options.hpp; 0: not to be compared, it will say why
  std::int64_t memory = 0;         ///< bytes that its heap may take; 0: no bound is known

  void write(Writer& out) const;
  static Introduction read(Reader& in);

  friend bool operator==(const Introduction&, const Introduction&) = default;
};

/// A PE introduces itself to the main PE.
///
///     | digest of the code table 8 | introduction ... |
struct Hello {
  static constexpr auto kind = fabric::Kind::hello;

  Introduction facts;

  void write(Writer& out) const;
  /// Throws Error when the sender runs another program: then nothing behind the digest can be read.
  static Hello read(Reader& in, const fabric::Envelope& envelope);

  friend bool operator==(const Hello&, const Hello&) = default;
};

/// The main PE tells a PE about all. Clocks differ by less than 30 years.
///
///     | offset 8 | begun 8 | latency 8 | view 4 | is it one clock 1 | then, until all PEs are told
///     | of:
///     | times 4 | PEs alike 4 | cluster's step 4 | cores 4 | speed 8 | memory 8 |
///
/// On a grid of equal clusters, whatever its size, that is short (balance::Alike); and it is
/// bounded: of very many PEs that all differ, it tells what they are in groups.
struct Welcome {
  static constexpr auto kind = fabric::Kind::welcome;

  Nanos offset = 0;         ///< to be added to the receiver's clock to get the main PE's
  Nanos begun = 0;          ///< the run, by the main PE's clock
  Nanos latency = 0;        ///< one way, between the two; never negative
  std::uint32_t view = 0;   ///< the receiver has to have before it begins
  bool same_clock = false;  ///< the receiver's and the main PE's; then `offset` is 0, and stays so
  std::vector<balance::Alike> all;

  void write(Writer& out) const;
  static Welcome read(Reader& in, const fabric::Envelope& envelope);

  friend bool operator==(const Welcome&, const Welcome&) = default;
};

/// What does your clock say? Are you there?
///
///     | sent 8 |
struct Ping {
  static constexpr auto kind = fabric::Kind::ping;

  Nanos sent = 0;  ///< by its sender's clock

  void write(Writer& out) const { out.put(sent); }
  static Ping read(Reader& in, const fabric::Envelope& envelope);

  friend bool operator==(const Ping&, const Ping&) = default;
};

/// The answer to a PING, whose time it brings back.
///
///     | sent 8 | answered 8 |
struct Pong {
  static constexpr auto kind = fabric::Kind::pong;

  Nanos sent = 0;      ///< by the receiver's clock
  Nanos answered = 0;  ///< by its sender's

  void write(Writer& out) const;
  static Pong read(Reader& in, const fabric::Envelope& envelope);

  friend bool operator==(const Pong&, const Pong&) = default;
};

/// The program has ended: neither send work any more nor take it, and say BYE.
using Finish = fabric::Bare<fabric::Kind::finish>;

/// A PE has stopped.
///
///     | counts 8 each | workers 4 | mutator 8 | collector 8 | communication 8 | idle 8 | ... |
struct Bye {
  static constexpr auto kind = fabric::Kind::bye;

  Statistics statistics{};

  void write(Writer& out) const;
  static Bye read(Reader& in, const fabric::Envelope& envelope);

  friend bool operator==(const Bye&, const Bye&) = default;
};

/// All have said BYE: nobody needs the receiver any more.
using Leave = fabric::Bare<fabric::Kind::leave>;

/// Who is no longer there, or about to be, or has come: the main PE decides, and tells all others
/// and itself. The number of changes is that of the view: ids are not used again.
///
///     | count 4 | then, for each: PE 4 | what 4 |
///     | if it has joined: speed 8 | cores 4 | cluster 4 | memory 8 | length 4, card ... |
struct View {
  static constexpr auto kind = fabric::Kind::view;

  enum class What : std::uint32_t {
    lost,    ///< it is dead
    leaves,  ///< nothing more is to be sent there
    left,    ///< it has given all back that it had, or has come too late, and is gone
    empty,   ///< it is not there yet, and may never be
    joined,  ///< it is there now
  };
  struct Change {
    std::uint32_t pe = 0;
    What what = What::lost;
    balance::PeStatic facts{};  ///< of one that has joined
    Bytes card{};               ///< ... for the fabric

    friend bool operator==(const Change&, const Change&) = default;
  };
  std::vector<Change> changes;  ///< in the order in which they were decided

  /// The last that is said of a PE, but that it leaves.
  std::optional<What> last(int pe) const noexcept;
  bool gone(int pe) const noexcept {
    const auto what = last(pe);
    return what == What::lost || what == What::left;
  }

  void write(Writer& out) const;
  static View read(Reader& in, const fabric::Envelope& envelope);

  friend bool operator==(const View&, const View&) = default;
};

/// A PE leaves while the run goes on: asks the main PE to, and then tells that it may be let go;
/// all others hear of that, too, and take what they know there.
///
///     | stage 1 | threads 4 | as BYE ... |
struct Parting {
  static constexpr auto kind = fabric::Kind::parting;

  enum class Stage : std::uint8_t {
    begins,  ///< it would like to
    done,    ///< nothing is done there any more
    empty,   ///< nor does anybody refer to anything there
    hurry,   ///< it can't wait any longer
  };
  Stage stage = Stage::begins;
  std::uint32_t threads = 0;  ///< that it leaves unfinished
  Statistics statistics{};    ///< once it goes; for the main PE

  void write(Writer& out) const;
  static Parting read(Reader& in, const fabric::Envelope& envelope);

  friend bool operator==(const Parting&, const Parting&) = default;
};

/// The sender has nothing at a PE that leaves any more.
///
///     | PE 4 |
struct Settled {
  static constexpr auto kind = fabric::Kind::settled;

  std::uint32_t pe = 0;

  void write(Writer& out) const { out.put(pe); }
  static Settled read(Reader& in, const fabric::Envelope& envelope);

  friend bool operator==(const Settled&, const Settled&) = default;
};

/// The sender and a PE, neither of them the main one, don't reach each other.
///
///     | PE 4 | length 4, why ... |
struct CutOff {
  static constexpr auto kind = fabric::Kind::cut_off;

  std::uint32_t pe = 0;
  std::string why;

  void write(Writer& out) const;
  static CutOff read(Reader& in, const fabric::Envelope& envelope);

  friend bool operator==(const CutOff&, const CutOff&) = default;
};

/// The run can't go on. The main PE hears it first, and tells all others.
///
///     | exit code 4 | length 4, why ... |
struct Fail {
  static constexpr auto kind = fabric::Kind::fail;

  int code = 1;  ///< not that of success, as others see it
  std::string why;

  void write(Writer& out) const;
  static Fail read(Reader& in, const fabric::Envelope& envelope);

  friend bool operator==(const Fail&, const Fail&) = default;
};

}  // namespace trawl::life
