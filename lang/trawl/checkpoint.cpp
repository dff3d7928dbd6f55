#include <cerrno>
#include <filesystem>
#include <string>
#include <system_error>

#include <fcntl.h>
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

}  // namespace trawl::detail
