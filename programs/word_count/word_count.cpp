// word_count FILE...: how often each word is in some files; each piece of them is read where it is
// counted.
#include <algorithm>
#include <cctype>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <trawl/dist.hpp>
#include <trawl/trawl.hpp>

#include "programs/common/command.hpp"

namespace {

/// A part of a file.
struct Piece {
  std::string file;
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
};

using Counts = std::vector<std::pair<std::string, long>>;

bool in_word(char c) {
  return std::isalpha(static_cast<unsigned char>(c)) != 0;
}

/// The words that begin in it, in small letters.
std::string text_of(const Piece& piece) {
  std::ifstream in(piece.file, std::ios::binary);
  if (!in) throw programs::BadInput(piece.file + ": can't be read");
  char c = ' ';
  // A word that begins before belongs to the piece before.
  bool inside = false;
  if (piece.begin > 0) {
    in.seekg(static_cast<std::streamoff>(piece.begin - 1));
    inside = in.get(c) && in_word(c);
  }
  std::string words;
  for (auto at = piece.begin; in.get(c); ++at) {
    if (!in_word(c)) {
      if (at >= piece.end) break;
      inside = false;
      if (!words.empty() && words.back() != ' ') words += ' ';
    } else if (!inside) {
      if (at >= piece.end && (words.empty() || words.back() == ' ')) break;
      words += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    }
  }
  return words;
}

std::vector<Piece> pieces_of(const std::vector<std::string>& files) {
  constexpr std::uint64_t size = std::uint64_t{1} << 20U;
  std::vector<Piece> pieces;
  for (const auto& file : files) {
    std::error_code error;
    const auto bytes = std::filesystem::file_size(file, error);
    if (error) throw programs::BadInput(file + ": " + error.message());
    for (std::uint64_t at = 0; at < bytes; at += size)
      pieces.push_back({file, at, std::min(at + size, bytes)});
  }
  return pieces;
}

/// The words of a piece, each once.
Counts words_in(const std::string& text) {
  std::map<std::string, long> counts;
  for (std::size_t begin = 0, end = 0; begin < text.size(); begin = end + 1) {
    end = std::min(text.find(' ', begin), text.size());
    if (end > begin) ++counts[text.substr(begin, end - begin)];
  }
  return {counts.begin(), counts.end()};
}

Counts most_frequent(Counts counts, std::size_t most) {
  std::ranges::sort(counts, [](const auto& a, const auto& b) {
    return a.second != b.second ? a.second > b.second : a.first < b.first;
  });
  counts.resize(std::min(counts.size(), most));
  return counts;
}

Counts count_sequential(const std::vector<std::string>& files, std::size_t most) {
  std::map<std::string, long> counts;
  for (const auto& piece : pieces_of(files))
    for (const auto& [word, count] : words_in(text_of(piece))) counts[word] += count;
  return most_frequent({counts.begin(), counts.end()}, most);
}

// ---- in parallel -------------------------------------------------------------------------------

std::string nth_text(std::size_t i, const std::vector<Piece>& pieces) {
  return text_of(pieces[i]);
}

long plus(long a, long b) {
  return a + b;
}

/// Those of a shard that may be among the most frequent of all.
Counts best_of(const Counts& shard, std::size_t most) {
  return most_frequent(shard, most);
}

Counts count(const std::vector<std::string>& files, std::size_t most) {
  const auto pieces = pieces_of(files);
  const auto texts = trawl::generate<nth_text>(pieces.size(), pieces);
  const auto counts = trawl::map_reduce<words_in, plus>(texts);
  return most_frequent(trawl::collect(trawl::map_shards<best_of>(counts, most)), most);
}

// ------------------------------------------------------------------------------------------------

int root(int argc, char** argv) {
  std::vector<std::string> files;
  std::size_t most = 10;
  programs::Command command("word_count", "How often the most frequent words are in some files.");
  command.options().add_option("FILE", files, "texts, which all PEs can read")->required();
  command.add("--most", most, "words that are shown", std::size_t{1}, std::size_t{1'000'000'000});
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
