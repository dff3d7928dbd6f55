#include "rts/options/flag_file.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <sstream>

#include "rts/inline/error.hpp"

namespace trawl {
namespace {

constexpr std::string_view prefix = "--trawl:";
constexpr std::size_t longest_word = 60;  // of what is no flag, in a message

std::string shown(std::string word) {
  if (word.size() > longest_word) word = word.substr(0, longest_word) + "...";
  std::replace_if(
      word.begin(), word.end(), [](char c) { return c < ' ' || c > '~'; }, '?');
  return word;
}

void take_line(const std::string& line, const std::string& place, std::vector<FlagInFile>& flags) {
  std::istringstream words(line);
  for (std::string word; words >> word && word.front() != '#';) {
    if (!word.starts_with(prefix))
      throw Error(place + ": " + shown(word) +
                      " is no flag of the runtime: each word is --trawl:NAME or "
                      "--trawl:NAME=VALUE, and # begins a comment",
                  2);
    flags.push_back({place, word});
  }
}

}  // namespace

std::vector<FlagInFile> read_flag_file(const std::string& file) {
  errno = 0;
  std::ifstream in(file);
  std::vector<FlagInFile> flags;
  std::string line;
  for (int number = 1; std::getline(in, line); ++number)
    take_line(line, file + ":" + std::to_string(number), flags);
  if (!in.eof())
    throw Error("cannot read the flags in " + file + ": " +
                    (errno != 0 ? std::strerror(errno) : "it is no file of text"),
                2);
  return flags;
}

}  // namespace trawl
