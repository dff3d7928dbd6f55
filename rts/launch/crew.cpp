#include "rts/launch/crew.hpp"

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <utility>

#include <poll.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "rts/base/say.hpp"
#include "rts/fabric/launcher.hpp"
#include "rts/host/clocks.hpp"
#include "rts/inline/error.hpp"

namespace trawl::launch {
namespace {

constexpr Nanos patience_with_others = 5'000'000'000;  // once the main PE has ended
constexpr Nanos patience_with_asked = 1'000'000'000;   // once they were asked to end
constexpr Nanos patience_with_output = 200'000'000;    // which a stranger may hold open
constexpr int by_signal = 128;                         // as shells have it

/// nohup has us ignore SIGHUP, a shell's `&` SIGINT.
bool is_ignored(int signal) {
  struct sigaction now {};
  return sigaction(signal, nullptr, &now) == 0 && now.sa_handler == SIG_IGN;
}

sigset_t ours() {
  sigset_t set;
  sigemptyset(&set);
  for (const int each : {SIGINT, SIGTERM, SIGHUP})
    if (!is_ignored(each)) sigaddset(&set, each);
  for (const int each : {SIGCHLD, fabric::leave_signal()}) sigaddset(&set, each);
  return set;
}

std::string said_of(int status) {
  return WIFSIGNALED(status) ? std::string("was ended by ") + strsignal(WTERMSIG(status))
                             : "has ended with exit code " + std::to_string(WEXITSTATUS(status));
}

int code_of(int status) {
  return WIFSIGNALED(status) ? by_signal + WTERMSIG(status) : WEXITSTATUS(status);
}

}  // namespace

Crew::Crew(Again may, Printed& printed)
    : out_(STDOUT_FILENO),
      err_(STDERR_FILENO),
      somebody_reads_(isatty(STDOUT_FILENO) == 1),
      printed_(printed),
      ours_(ours()),
      may_(may) {
  printed_.start();
  sigprocmask(SIG_BLOCK, &ours_, nullptr);
  signals_ = signalfd(-1, &ours_, SFD_CLOEXEC | SFD_NONBLOCK);
  std::signal(SIGPIPE, SIG_IGN);
}

Crew::~Crew() {
  close(signals_);
  if (pipe_ >= 0) close(pipe_);
}

void Crew::add(const Command& command, const std::string& what) {
  const bool is_main = members_.empty();
  members_.push_back({start(command), what});
  lines_.emplace_back(members_.back().child.out, out_, is_main ? &printed_ : nullptr);
  lines_.emplace_back(members_.back().child.err, err_);
}

/// Anew for each end: the whole program may have run since the last look.
void Crew::hear() {
  std::array<char, 16> said{};
  pollfd pipe{pipe_, POLLIN, 0};
  while (poll(&pipe, 1, 0) == 1 && (pipe.revents & POLLIN) != 0) {
    const auto count = read(pipe_, said.data(), said.size());
    if (count <= 0) return;
    heard_.append(said.data(), static_cast<std::size_t>(count));
  }
}

bool Crew::is_told(fabric::News news) {
  hear();
  return heard_.find(static_cast<char>(news)) != std::string::npos;
}

bool Crew::any_running() const {
  for (const auto& member : members_)
    if (member.running) return true;
  return false;
}

// The main PE last: the others say that it is gone unless they have been asked to leave.
void Crew::kill_all(int signal) {
  for (auto member = members_.rbegin(); member != members_.rend(); ++member)
    if (member->running) kill(member->child.process, signal);
}

void Crew::end(int code) {
  if (ending_) return;
  ending_ = true;
  code_ = code;
  deadline_ = wall_time() + patience_with_asked;
  kill_all(SIGTERM);
}

void Crew::on_end(Member& member, int status) {
  member.running = false;
  const bool is_main = &member == &members_.front();
  const int code = code_of(status);  // of ssh, or a shell, perhaps
  // Who ends with the run says why it does.
  if (!is_main && code != lost_with_a_pe && !killed_)
    lost_.push_back(static_cast<std::size_t>(&member - members_.data()));
  if (ending_) return;
  const bool says_why = is_main && (code != 0 || members_.size() == 1);
  begun_ = is_told(fabric::News::all_are_there);
  if (!says_why && !begun_) {
    again_ = may_.before_it_begins && (code == by_signal + SIGKILL || code == by_signal + SIGTERM);
    say("trawl-run: " + member.what + " " + said_of(status) + " before all PEs were there" +
        (code == 0 ? ": does the program call trawl::run?\n"
         : again_  ? ": all are started again\n"
                   : "\n"));
    end(code == 0 ? 1 : code);
  } else if (is_main) {
    on_end_of_main(status);
  }
}

void Crew::on_end_of_main(int status) {
  ending_ = true;
  code_ = code_of(status);
  deadline_ = wall_time() + patience_with_others;
  if (WIFSIGNALED(status)) {
    say("trawl-run: the main PE " + said_of(status) + "\n");
    main_was_killed_ = WTERMSIG(status) == SIGKILL;
    again_ = may_.if_main_is_killed && main_was_killed_;
  } else if (code_ != 0 && is_told(fabric::News::lost_with_a_pe)) {
    again_ = may_.if_lost;
  }
}

// The main PE decides, and answers.
void Crew::send_away(int asker, int pe) const {
  if (members_.empty()) return;
  if (members_.front().running)
    fabric::send_leave_signal(members_.front().child.process, {pe, asker});
  else
    fabric::answer_leave(asker, fabric::LeaveAnswer::there_is_none);
}

void Crew::reap() {
  int status = 0;
  for (pid_t process = 0; (process = waitpid(-1, &status, WNOHANG)) > 0;)
    for (auto& member : members_)
      if (member.child.process == process) on_end(member, status);
}

void Crew::on_signals() {
  signalfd_siginfo info{};
  while (read(signals_, &info, sizeof info) == static_cast<ssize_t>(sizeof info)) {
    const auto signal = static_cast<int>(info.ssi_signo);
    if (signal == SIGCHLD) continue;
    if (signal == fabric::leave_signal()) {
      const auto request = fabric::request_of(info.ssi_ptr);
      if (info.ssi_code == SI_QUEUE && request.asker == 0)
        send_away(static_cast<int>(info.ssi_pid), request.pe);
      continue;
    }
    if (signal_ == 0) deadline_ = wall_time() + patience_with_asked;
    signal_ = signal;
    end(by_signal + signal);
  }
  reap();
}

void Crew::wait_for_something() {
  constexpr int a_while = 100;  // ms
  std::vector<pollfd> files{{signals_, POLLIN, 0}};
  for (const auto* output : {&out_, &err_})
    files.push_back({output->empty() ? -1 : output->to(), POLLOUT, 0});
  for (const auto& lines : lines_)
    files.push_back({lines.may_come() ? lines.from() : -1, POLLIN, 0});
  poll(files.data(), files.size(), a_while);
  std::size_t at = 1;
  for (auto* output : {&out_, &err_})
    if (files[at++].revents != 0) write_some(*output);
  for (auto each = lines_.begin(); each != lines_.end();) {
    const auto lines = each++;
    if (files[at++].revents != 0)
      pass_on(lines);
    else if (somebody_reads_)
      lines->pass_on_prompt(wall_time());
  }
  on_signals();
}

void Crew::pass_on(std::list<Lines>::iterator lines) {
  const bool more = lines->pass_on();
  if (printed_.differs()) prints_otherwise();
  if (more) return;
  close(lines->from());
  lines_.erase(lines);
}

/// What is not printed again as it was before is no answer.
void Crew::prints_otherwise() {
  if (std::exchange(otherwise_, true)) return;
  say("trawl-run: begun again, the program prints something else than before (how long it took?): "
      "the output is not whole, start it once more\n");
  end(lost_with_a_pe);
  code_ = lost_with_a_pe;
  again_ = false;
}

/// Who closes the pipe that it is written to has seen enough: that ends a program without a
/// launcher, too.
void Crew::write_some(Output& output) {
  output.write_some();
  if (output.to() != STDOUT_FILENO || output.trouble() == 0 || unwritten_ != 0) return;
  unwritten_ = output.trouble();
  if (unwritten_ == EPIPE) {
    if (signal_ == 0 && (!ending_ || code_ == 0)) signal_ = SIGPIPE;
    return end(by_signal + SIGPIPE);
  }
  say(std::string("trawl-run: the output could not be written: ") + std::strerror(unwritten_) +
      "\n");
}

/// What was printed before the end. Who reads it may take his time, unless a signal is to end us.
void Crew::drain() {
  const auto given_up = [this] { return signal_ != 0 && wall_time() >= deadline_; };
  auto give_up = wall_time() + patience_with_output;
  while (!lines_.empty() && !given_up() && wall_time() < give_up) {
    const auto before = wall_time();
    const bool had_room = !out_.full() && !err_.full();
    wait_for_something();
    if (!had_room) give_up += wall_time() - before;
  }
  for (auto& lines : lines_) {
    lines.finish();
    close(lines.from());
  }
  lines_.clear();
  while (!(out_.empty() && err_.empty()) && !given_up()) wait_for_something();
}

int Crew::see_through(int begun) {
  pipe_ = begun;
  while (any_running()) {
    wait_for_something();
    if (!ending_ || wall_time() < deadline_) continue;
    killed_ = true;
    kill_all(SIGKILL);
  }
  if (main_was_killed_) lost_.clear();  // the others have ended as it was gone
  drain();
  if (code_ == 0 && printed_.falls_short()) prints_otherwise();
  if (signal_ == 0) return unwritten_ != 0 && code_ == 0 ? 1 : code_;
  std::signal(signal_, SIG_DFL);
  raise(signal_);
  sigprocmask(SIG_UNBLOCK, &ours_, nullptr);
  return code_;
}

}  // namespace trawl::launch
