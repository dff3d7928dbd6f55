#include "rts/launch/child.hpp"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>

#include <fcntl.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "rts/base/say.hpp"
#include "rts/inline/error.hpp"

namespace trawl::launch {
namespace {

struct Pipe {
  int out, in;
};

Pipe make_pipe() {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0)
    throw Error(std::string("cannot make a pipe: ") + std::strerror(errno));
  return {ends[0], ends[1]};
}

/// What the new process reads; -1: what we do.
int open_input(const Command& command) {
  if (command.input) {
    const auto pipe = make_pipe();  // it has room for a key
    const auto& text = *command.input;
    if (write(pipe.in, text.data(), text.size()) != static_cast<ssize_t>(text.size()))
      throw Error("cannot hand a key on");
    close(pipe.in);
    return pipe.out;
  }
  return command.reads_ours ? -1 : open("/dev/null", O_RDONLY | O_CLOEXEC);
}

[[noreturn]] void become(const Command& command, pid_t parent, int input, int out, int err) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(1);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  std::signal(SIGPIPE, SIG_DFL);
  if (input >= 0) dup2(input, STDIN_FILENO);
  dup2(out, STDOUT_FILENO);
  dup2(err, STDERR_FILENO);
  for (const int file : command.files) fcntl(file, F_SETFD, 0);
  for (const auto& [name, value] : command.environment) setenv(name.c_str(), value.c_str(), 1);
  std::vector<char*> words;
  for (const auto& word : command.words) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  execvp(words.front(), words.data());
  say("trawl-run: cannot start " + command.words.front() + ": " + std::strerror(errno) + "\n");
  _exit(errno == ENOENT ? 127 : 126);
}

}  // namespace

Child start(const Command& command) {
  const int input = open_input(command);
  const auto out = make_pipe();
  const auto err = make_pipe();
  const auto parent = getpid();
  const auto process = fork();
  if (process < 0) throw Error(std::string("cannot start a process: ") + std::strerror(errno));
  if (process == 0) become(command, parent, input, out.in, err.in);
  if (input >= 0) close(input);
  close(out.in);
  close(err.in);
  return {process, out.out, err.out};
}

std::string quoted(const std::string& word) {
  constexpr const char* plain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=:,./@%";
  if (!word.empty() && word.find_first_not_of(plain) == std::string::npos) return word;
  std::string text = "'";
  for (const char c : word) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return text + "'";
}

}  // namespace trawl::launch
