#include "rts/watch/messages.hpp"

namespace trawl::watch {

Pulse Pulse::read(Reader& in, const fabric::Envelope&) {
  Pulse message;
  in.raw(&message.pulse, sizeof message.pulse);
  in.end();
  trace::check(message.pulse);
  return message;
}

}  // namespace trawl::watch
