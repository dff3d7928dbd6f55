// word_count FILE...: how often each word is in some files; each line is read where it is counted.
#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <trawl/dist.hpp>
#include <trawl/trawl.hpp>
#include <unistd.h>

#include "programs/common/command.hpp"

namespace {

using Counts = std::vector<std::pair<std::string, long>>;

/// In small letters.
Counts words_in(const std::string& line) {
  Counts all;
  std::string word;
  const auto end_word = [&] {
    if (!word.empty()) all.emplace_back(std::exchange(word, {}), 1);
  };
  for (const char each : line) {
    const auto c = static_cast<unsigned char>(each);
    if (std::isalpha(c) != 0)
      word += static_cast<char>(std::tolower(c));
    else
      end_word();
  }
  end_word();
  return all;
}

Counts most_frequent(Counts counts, std::size_t most) {
  std::ranges::sort(counts, [](const auto& a, const auto& b) {
    return a.second != b.second ? a.second > b.second : a.first < b.first;
  });
  counts.resize(std::min(counts.size(), most));
  return counts;
}

/// Of other files nobody knows where their lines lie. Throws BadInput.
void check(const std::string& file) {
  const auto refuse = [&file](const std::string& why) {
    throw programs::BadInput(fmt::format("{}: can't be read: {}", file, why));
  };
  if (access(file.c_str(), R_OK) != 0) refuse(std::strerror(errno));
  if (std::filesystem::is_directory(file)) refuse("it is a directory");
  if (!std::filesystem::is_regular_file(file)) refuse("it is no regular file");
}

Counts count_sequential(const std::vector<std::string>& files, std::size_t most) {
  std::map<std::string, long> counts;
  for (const auto& file : files) {
    std::ifstream in(file);
    if (!in) throw programs::BadInput(file + ": can't be read");
    for (std::string line; std::getline(in, line);)
      for (const auto& [word, count] : words_in(line)) counts[word] += count;
  }
  return most_frequent({counts.begin(), counts.end()}, most);
}

// ---- in parallel -------------------------------------------------------------------------------

long plus(long a, long b) {
  return a + b;
}

/// Those of a shard that may be among the most frequent of all.
Counts best_of(const Counts& shard, std::size_t most) {
  return most_frequent(shard, most);
}

Counts count(const std::vector<std::string>& files, std::size_t most) {
  const auto counts = trawl::map_reduce<words_in, plus>(trawl::read_lines(files));
  return most_frequent(trawl::collect(trawl::map_shards<best_of>(counts, most)), most);
}

// ------------------------------------------------------------------------------------------------

int root(int argc, char** argv) {
  std::vector<std::string> files;
  std::size_t most = 10;
  programs::Command command("word_count", "How often the most frequent words are in some files.");
  command.add_texts("FILE", files, "texts").needed();
  command.add("--most", most, "words that are shown", std::size_t{1}, std::size_t{1'000'000'000});
  command.before([&] { std::ranges::for_each(files, check); });
  return command.run(
      argc, argv, [&] { return count(files, most); }, [&] { return count_sequential(files, most); },
      [&](const Counts& counts) {
        return counts == count_sequential(files, most) ? "" : "the sequential result is another";
      },
      [](const Counts& counts) {
        for (const auto& [word, count] : counts) std::cout << word << ' ' << count << '\n';
      });
}

}  // namespace

int main(int argc, char** argv) {
  return trawl::run<root>(argc, argv);
}
