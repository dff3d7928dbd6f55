// Whether a tool's output has got to where it goes.
#pragma once

#include <cerrno>
#include <cstdio>
#include <cstring>
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

}  // namespace trawl
