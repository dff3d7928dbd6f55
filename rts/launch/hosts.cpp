#include "rts/launch/hosts.hpp"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "rts/inline/error.hpp"

namespace trawl::launch {
namespace {

constexpr int most_on_a_host = 1024;

Host read_host(const std::string& name, const std::string& count, const std::string& rest) {
  Host host{name, 1};
  const auto* end = count.data() + count.size();
  const auto read = std::from_chars(count.data(), end, host.pes);
  const bool good = count.empty() || (read.ec == std::errc() && read.ptr == end && host.pes >= 1 &&
                                      host.pes <= most_on_a_host);
  const bool is_mpiexecs = std::count(name.begin(), name.end(), ':') == 1;  // HOST:PROCESSES
  const bool is_text = std::all_of(name.begin(), name.end(), [](char c) { return c > ' '; });
  if (!good || !is_text || !rest.empty() || name.front() == '-' || is_mpiexecs) throw Error("", 2);
  return host;
}

}  // namespace

std::vector<Host> read_hosts(const std::string& file) {
  std::ifstream in(file);
  std::error_code error;
  const int cause = std::filesystem::is_directory(file, error) ? EISDIR : in ? 0 : errno;
  if (cause != 0) throw Error("cannot read the hosts in " + file + ": " + std::strerror(cause), 2);
  std::vector<Host> hosts;
  std::string line;
  for (int number = 1; std::getline(in, line); ++number) {
    std::istringstream words(line.substr(0, line.find('#')));
    std::string name, count, rest;
    words >> name >> count >> rest;
    if (name.empty()) continue;
    try {
      hosts.push_back(read_host(name, count, rest));
    } catch (const Error&) {
      throw Error(file + ", line " + std::to_string(number) + ": expected HOST, or HOST PES", 2);
    }
  }
  if (hosts.empty()) throw Error(file + " names no hosts", 2);
  return hosts;
}

std::vector<std::string> on_host(const std::string& ssh, const Host& host, const Command& there,
                                 const std::string& name) {
  std::vector<std::string> command;
  std::istringstream parts(ssh);
  for (std::string part; parts >> part;) command.push_back(part);
  command.push_back(host.name);
  std::string script = "read -r " + name + " && export " + name + " && cd " +
                       quoted(std::filesystem::current_path().string()) + " && exec </dev/null";
  for (const auto& [variable, value] : there.environment)
    script += " && export " + variable + "=" + quoted(value);
  script += " && exec";
  for (const auto& word : there.words) script += " " + quoted(word);
  command.push_back(script);
  return command;
}

}  // namespace trawl::launch
