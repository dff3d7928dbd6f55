// A terminal that is drawn over.
#pragma once

#include <cstddef>
#include <string>

#include <termios.h>

namespace trawl::top {

/// SIGINT, SIGQUIT, SIGTERM or SIGHUP has come, once this was asked.
bool interrupted();

/// Takes the terminal over while it lives, and leaves it as it was.
class Screen {
 public:
  /// Standard output is one (rts/host/terminal.hpp).
  Screen();
  ~Screen();
  Screen(const Screen&) = delete;
  Screen& operator=(const Screen&) = delete;

  std::size_t width() const;
  std::size_t height() const;
  void draw(const std::string& text);
  /// The next key, waited for so long; 0: none.
  char key(int milliseconds);

 private:
  termios before_{};
  bool has_keys_;  // after what it fills
  std::string drawn_;
};

}  // namespace trawl::top
