// Our own input, which the main PE reads.
#pragma once

#include <sys/stat.h>
#include <unistd.h>

namespace trawl::launch {

class Input {
 public:
  /// What comes by a pipe has gone with who has read it.
  bool can_be_read_again() const { return S_ISREG(kind_) || S_ISCHR(kind_); }
  /// So has this, but most programs read nothing, and a user can type it again.
  bool is_typed() const { return S_ISCHR(kind_) && isatty(STDIN_FILENO) != 0; }
  void rewind() const {
    if (S_ISREG(kind_)) lseek(STDIN_FILENO, at_, SEEK_SET);
  }

 private:
  static mode_t kind() {
    struct stat now {};
    return fstat(STDIN_FILENO, &now) == 0 ? now.st_mode : 0;
  }

  mode_t kind_ = kind();
  off_t at_ = lseek(STDIN_FILENO, 0, SEEK_CUR);
};

}  // namespace trawl::launch
