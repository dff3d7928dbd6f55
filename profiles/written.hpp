// Whether a tool's output gets to where it goes, and not over what it reads.
#pragma once

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <iostream>
#include <string>

#include "rts/inline/error.hpp"

namespace trawl {

/// At its end: throws Error (exit code 2) if standard output has not taken all of it.
inline void expect_written() {
  errno = 0;
  if (!std::cout.flush() || std::fflush(stdout) != 0 || std::ferror(stdout) != 0)
    throw Error("the output could not be written" +
                    (errno != 0 ? std::string(": ") + std::strerror(errno) : ""),
                2);
}

/// Before something is written into a file: throws Error (exit code 2) if it is read, too.
inline void expect_not_read(const std::string& written, const std::string& read) {
  std::error_code missing;
  if (std::filesystem::equivalent(written, read, missing))
    throw Error("writing to " + written + " would destroy what is read from there; name another",
                2);
}

}  // namespace trawl
