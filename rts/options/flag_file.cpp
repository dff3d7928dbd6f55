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
constexpr std::size_t longest_file = std::size_t{1} << 20U;

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

std::string text_of(const std::string& file) {
  const auto refuse = [&file](const std::string& why) {
    throw Error("cannot read the flags in " + file + ": " + why, 2);
  };
  errno = 0;
  std::ifstream in(file);
  std::string text(longest_file + 1, 0);
  in.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (in) refuse("it has more than a megabyte");
  if (!in.eof()) refuse(errno != 0 ? std::strerror(errno) : "it is no file of text");
  text.resize(static_cast<std::size_t>(in.gcount()));
  return text;
}

}  // namespace

std::vector<FlagInFile> read_flag_file(const std::string& file) {
  std::istringstream in(text_of(file));
  std::vector<FlagInFile> flags;
  std::string line;
  for (int number = 1; std::getline(in, line); ++number)
    take_line(line, file + ":" + std::to_string(number), flags);
  return flags;
}

}  // namespace trawl
