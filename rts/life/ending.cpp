#include "rts/life/ending.hpp"

namespace trawl::life {
namespace {

// A PE on a busy host may not get a core at once; a finished program exits within two seconds where
// messages don't take that long themselves.
constexpr Nanos patience_at_least = 1'000'000'000;

}  // namespace

Ending::Ending(int self, int pes, fabric::Outbox& outbox)
    : self_(self),
      outbox_(outbox),
      missing_(self == 0 ? static_cast<std::size_t>(pes) : 0, true),
      missing_count_(static_cast<std::size_t>(pes) - 1),
      statistics_(self == 0 ? static_cast<std::size_t>(pes) : 0) {}

void Ending::begin(Nanos now, Nanos round_trip) {
  begun_ = true;
  patience_ = patience_at_least + 2 * round_trip;
  deadline_ = now + patience_;
}

void Ending::finish(int code, Nanos now, const Statistics& own, Nanos round_trip) {
  begin(now, round_trip);
  code_ = code;
  statistics_[static_cast<std::size_t>(self_)] = own;
  for (int pe = 1; pe < static_cast<int>(statistics_.size()); ++pe)
    fabric::send(outbox_, pe, Finish());
}

void Ending::on_finish(Nanos now, const Statistics& own, Nanos round_trip) {
  if (begun_) return;
  begin(now, round_trip);
  fabric::send(outbox_, 0, Bye{own});
}

void Ending::on_bye(const Bye& message, int from) {
  note_statistics(from, message.statistics);
  no_longer_missing(from);
}

void Ending::note_statistics(int pe, const Statistics& statistics) {
  statistics_[static_cast<std::size_t>(pe)] = statistics;
}

void Ending::heard(int from, Nanos now) {
  if (begun_ && self_ == 0 && missing_[static_cast<std::size_t>(from)]) deadline_ = now + patience_;
}

void Ending::dead(int pe) {
  if (pe == 0) may_leave_ = true;
  if (self_ == 0) no_longer_missing(pe);
}

void Ending::joined(int pe) {
  if (self_ != 0 || begun_ || missing_[static_cast<std::size_t>(pe)]) return;
  missing_[static_cast<std::size_t>(pe)] = true;
  ++missing_count_;
}

void Ending::no_longer_missing(int pe) {
  if (!missing_[static_cast<std::size_t>(pe)]) return;
  missing_[static_cast<std::size_t>(pe)] = false;
  if (--missing_count_ != 0 || !begun_) return;
  for (int other = 1; other < static_cast<int>(statistics_.size()); ++other)
    fabric::send(outbox_, other, Leave());
}

std::optional<Outcome> Ending::over(Nanos now, bool flushed) {
  if (!begun_) return std::nullopt;
  const bool agreed = self_ == 0 ? missing_count_ == 0 : may_leave_;
  if ((!agreed || !flushed) && now < deadline_) return std::nullopt;
  return Outcome{
      code_, {}, false, self_ == 0 ? statistics_ : std::vector<std::optional<Statistics>>()};
}

}  // namespace trawl::life
