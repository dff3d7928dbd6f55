// Who is told to stop (SIGINT, SIGTERM) ends its runs and takes its files away.
#pragma once

namespace tune {

/// From now on these signals only leave word of themselves; but those that were ignored still are.
void heed_signals();

/// The first that came; 0: none.
int signal_to_stop() noexcept;

/// Ends this process as that signal would have, so that whoever started it knows.
void end_by(int signal);

}  // namespace tune
