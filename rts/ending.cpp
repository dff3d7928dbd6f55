#include "rts/ending.hpp"

namespace trawl {
namespace {

// A PE on a busy host may not get a core at once; a finished program exits within two seconds.
constexpr Nanos patience = 1'000'000'000;

}  // namespace

Ending::Ending(int self, int pes, fabric::Post& post)
    : self_(self),
      post_(post),
      missing_(static_cast<std::size_t>(pes) - 1),
      figures_(static_cast<std::size_t>(pes)) {}

void Ending::finish(int code, Nanos now, const Figures& own) {
  begun_ = true;
  code_ = code;
  deadline_ = now + patience;
  figures_[static_cast<std::size_t>(self_)] = own;
  for (int pe = 1; pe < static_cast<int>(figures_.size()); ++pe)
    post_.send(pe, post_.open(fabric::Kind::finish, pe));
}

void Ending::on_finish(Reader&, Nanos now, const Figures& own) {
  if (begun_) return;
  begun_ = true;
  deadline_ = now + patience;
  auto message = post_.open(fabric::Kind::bye, 0);
  message.put(own);
  post_.send(0, std::move(message));
}

void Ending::on_bye(Reader& message, int from) {
  if (self_ != 0 || !begun_) throw BadBytes("nobody asked");
  figures_[static_cast<std::size_t>(from)] = message.get<Figures>();
  if (--missing_ != 0) return;
  for (int pe = 1; pe < static_cast<int>(figures_.size()); ++pe)
    post_.send(pe, post_.open(fabric::Kind::leave, pe));
}

std::optional<Outcome> Ending::over(Nanos now, bool flushed) {
  if (!begun_) return std::nullopt;
  const bool agreed = self_ == 0 ? missing_ == 0 : may_leave_;
  if ((!agreed || !flushed) && now < deadline_) return std::nullopt;
  return Outcome{code_, {}, self_ == 0 ? figures_ : std::vector<Figures>()};
}

}  // namespace trawl
