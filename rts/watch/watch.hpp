// How a run is watched while it goes on: the main PE asks the others how they are, and shows it.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "rts/balance/tables.hpp"
#include "rts/fabric/message.hpp"
#include "rts/trace/stats.hpp"
#include "rts/watch/messages.hpp"
#include "rts/watch/progress_lines.hpp"
#include "rts/watch/window.hpp"

namespace trawl::watch {

/// Guarded by its PE's lock. Times are the run's. Nobody is asked unless somebody looks.
class Watch {
 public:
  struct Setup {
    bool shown = false;     ///< in a Window
    bool progress = false;  ///< by ProgressLines
    std::string program, host;
  };

  Watch(const Setup& setup, const balance::Tables& tables, fabric::Outbox& outbox,
        std::function<trace::Pulse()> own_pulse);

  /// Is there anything to be looked after? Only on the main PE.
  bool on() const noexcept { return window_ || progress_; }
  /// To be called every 100 ms.
  void look(Nanos time);
  void set_presence(int pe, trace::Presence presence);
  void on_look();
  void on_pulse(const Pulse& message, int from, Nanos time);
  /// The run is over; `statistics` by PE, if it went well.
  void end(Nanos time, const std::vector<std::optional<Statistics>>& statistics);

 private:
  void ask(Nanos time);
  void show(Nanos time, trace::Stage stage);
  void note_links();

  const balance::Tables& tables_;
  fabric::Outbox& outbox_;
  std::function<trace::Pulse()> own_pulse_;
  std::optional<Window> window_;
  std::optional<ProgressLines> progress_;
  trace::Table table_;  // the main PE's, once it is on
  Nanos next_ask_ = 0;
  bool news_ = false;
};

}  // namespace trawl::watch
