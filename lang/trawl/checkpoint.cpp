#include <cerrno>
#include <filesystem>
#include <string>
#include <system_error>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <trawl/checkpoint.hpp>
#include <unistd.h>

namespace trawl::detail {
namespace {

/// All that was written to it, or to the names in a folder, outlasts the host's end; false: errno
/// says why not.
bool put_on_disk(const std::string& path) {
  errno = 0;
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return false;
  const bool done = fsync(file) == 0;
  ::close(file);
  return done;
}

}  // namespace

std::string file_to_replace(const std::string& file) {
  std::error_code error;
  const auto status = std::filesystem::status(file, error);
  if (!std::filesystem::exists(status)) return file;
  if (!std::filesystem::is_regular_file(status))
    throw Error(file + ": can't be written: it is no regular file");
  const auto where = std::filesystem::canonical(file, error);
  return error ? file : where.string();
}

void replace_file(const std::string& file, const std::string& by) {
  if (!put_on_disk(by)) throw_of_file(by, "written");
  std::error_code error;
  std::filesystem::rename(by, file, error);
  if (error) throw Error(file + ": can't be written: " + error.message());
  const auto folder = std::filesystem::path(file).parent_path();
  put_on_disk(folder.empty() ? "." : folder.string());  // where that can be had
}

std::optional<std::uint64_t> size_of_file(const std::string& file) {
  struct stat now {};
  if (stat(file.c_str(), &now) != 0) return std::nullopt;
  if (S_ISREG(now.st_mode)) return static_cast<std::uint64_t>(now.st_size);
  throw Error(file + ": can't be read: it is no regular file");
}

// Who had it before may have given it its own name meanwhile.
SoleWriter::SoleWriter(const std::string& file) {
  const auto still_named_so = [&] {
    struct stat ours {};
    struct stat named {};
    return fstat(file_, &ours) == 0 && stat(file.c_str(), &named) == 0 &&
           ours.st_dev == named.st_dev && ours.st_ino == named.st_ino;
  };
  int tries = 100;  // on some file systems it never looks the same
  do {
    if (file_ >= 0) ::close(file_);
    errno = 0;
    constexpr mode_t all_may = 0666;
    file_ = ::open(file.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, all_may);
    if (file_ < 0) throw_of_file(file, "written");
    if (flock(file_, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK) continue;
    ::close(file_);
    throw Error(file +
                ": can't be written: another run does so at the moment; give each run a "
                "file of its own");
  } while (!still_named_so() && --tries > 0);
}

SoleWriter::~SoleWriter() {
  ::close(file_);
}

}  // namespace trawl::detail
