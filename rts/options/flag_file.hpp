// A file of flags (--trawl:flags=FILE): words as on the command line, one or many a line.
#pragma once

#include <string>
#include <vector>

namespace trawl {

/// A word, and where it stands: "mine.flags:3".
struct FlagInFile {
  std::string place;
  std::string word;
};

/// A word that begins with # and the rest of its line are a comment. Throws Error with exit code 2
/// for a file that can't be read, and for words that are no flag at all.
std::vector<FlagInFile> read_flag_file(const std::string& file);

}  // namespace trawl
