#include "rts/fabric/net/pmi.hpp"

#include <array>
#include <cerrno>
#include <charconv>

#include <fmt/format.h>
#include <unistd.h>

#include "rts/fabric/launcher.hpp"
#include "rts/inline/error.hpp"

namespace trawl::fabric::net {
namespace {

[[noreturn]] void give_up() {
  throw Error(
      "the launcher does not answer by PMI 1: --trawl:fabric=net is for trawl-run, and for "
      "MPICH's mpiexec",
      2);
}

/// The value of name=value in a line of words.
std::string value_in(const std::string& line, std::string_view name) {
  const auto at = (" " + line).find(fmt::format(" {}=", name));
  if (at == std::string::npos) give_up();
  const auto begin = at + name.size() + 1;
  return line.substr(begin, line.find(' ', begin) - begin);
}

}  // namespace

Pmi::Pmi()
    : file_(number_in("PMI_FD", -1)),
      rank_(number_in("PMI_RANK", -1)),
      size_(number_in("PMI_SIZE", -1)) {
  if (file_ < 0 || rank_ < 0 || size_ < 1 || rank_ >= size_) give_up();
  ask("cmd=init pmi_version=1 pmi_subversion=1", "response_to_init");
  note_hello();
  place_ = value_in(ask("cmd=get_my_kvsname", "my_kvsname"), "kvsname");
}

std::string Pmi::read_line() {
  while (true) {
    if (const auto end = read_.find('\n'); end != std::string::npos) {
      auto line = read_.substr(0, end);
      read_.erase(0, end + 1);
      return line;
    }
    std::array<char, 1024> part{};
    const auto count = read(file_, part.data(), part.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) give_up();
    read_.append(part.data(), static_cast<std::size_t>(count));
  }
}

std::string Pmi::ask(const std::string& line, std::string_view answer) {
  const auto sent = line + "\n";
  if (::write(file_, sent.data(), sent.size()) != static_cast<ssize_t>(sent.size())) give_up();
  auto said = read_line();
  if (value_in(said, "cmd") != answer) give_up();
  return said;
}

void Pmi::put(std::string_view name, std::string_view value) {
  const auto words = " key=trawl-" + std::string(name) + " value=" + std::string(value);
  ask("cmd=put kvsname=" + place_ + words, "put_result");
}

std::string Pmi::get(std::string_view name) {
  return value_in(
      ask("cmd=get kvsname=" + place_ + " key=trawl-" + std::string(name), "get_result"), "value");
}

void Pmi::meet() {
  ask("cmd=barrier_in", "barrier_out");
}

}  // namespace trawl::fabric::net
