#include "rts/base/standard_files.hpp"

#include <initializer_list>

#include <fcntl.h>
#include <unistd.h>

namespace trawl {

void keep_closed_outputs_closed() {
  for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (fcntl(fd, F_GETFD) < 0) open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY);
}

}  // namespace trawl
