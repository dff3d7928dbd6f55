#include "profiles/top/screen.hpp"

#include <csignal>
#include <cstdio>
#include <utility>

#include <poll.h>
#include <sys/ioctl.h>
#include <unistd.h>

namespace trawl::top {
namespace {

volatile std::sig_atomic_t signalled = 0;

winsize size_of_terminal() {
  winsize size{};
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0) size = {};
  return size;
}

void say(const std::string& text) {
  std::fputs(text.c_str(), stdout);
  std::fflush(stdout);
}

}  // namespace

bool interrupted() {
  static const bool caught = [] {
    struct sigaction action {};
    action.sa_handler = [](int) { signalled = 1; };
    for (const int signal : {SIGINT, SIGQUIT, SIGTERM, SIGHUP}) {
      struct sigaction before {};
      sigaction(signal, &action, &before);
      if (before.sa_handler == SIG_IGN) sigaction(signal, &before, nullptr);  // by nohup, or `&`
    }
    return true;
  }();
  return caught && signalled != 0;
}

Screen::Screen() : has_keys_(isatty(STDIN_FILENO) == 1 && tcgetattr(STDIN_FILENO, &before_) == 0) {
  interrupted();
  if (has_keys_) {
    auto raw = before_;
    raw.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO);
    raw.c_cc[VMIN] = 0;
    raw.c_cc[VTIME] = 0;
    raw.c_cc[VSUSP] = _POSIX_VDISABLE;  // Ctrl-Z would leave the terminal to the shell like this
    tcsetattr(STDIN_FILENO, TCSANOW, &raw);
  }
  say("\033[?1049h\033[?25l");  // another screen, no cursor
}

Screen::~Screen() {
  say("\033[?25h\033[?1049l");
  if (has_keys_) tcsetattr(STDIN_FILENO, TCSANOW, &before_);
}

std::size_t Screen::width() const {
  constexpr std::size_t usual = 80;
  const auto size = size_of_terminal();
  return size.ws_col > 0 ? size.ws_col : usual;
}

std::size_t Screen::height() const {
  constexpr std::size_t usual = 24;
  const auto size = size_of_terminal();
  return size.ws_row > 0 ? size.ws_row : usual;
}

// Each line is cleared behind its end, so nothing flickers.
void Screen::draw(const std::string& text) {
  std::string drawn = "\033[H";
  for (const char c : text) {
    if (c == '\n') drawn += "\033[K\r";
    drawn += c;
  }
  if (drawn.ends_with('\n')) drawn.pop_back();  // else the last line of a full screen scrolls
  drawn += "\033[J";
  if (drawn == drawn_) return;
  say(drawn);
  drawn_ = std::move(drawn);
}

char Screen::key(int milliseconds) {
  pollfd input{has_keys_ ? STDIN_FILENO : -1, POLLIN, 0};
  char key = 0;
  if (poll(&input, 1, milliseconds) <= 0) return 0;
  if (read(STDIN_FILENO, &key, 1) == 1) return key;
  has_keys_ = false;  // it is closed
  return 0;
}

}  // namespace trawl::top
