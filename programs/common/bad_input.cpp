#include "programs/common/bad_input.hpp"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>

#include <fmt/format.h>
#include <unistd.h>

namespace programs {

void check_writable(const std::string& file) {
  const auto folder = std::filesystem::path(file).parent_path();
  std::error_code missing;
  if (std::filesystem::is_directory(file, missing))
    errno = EISDIR;
  else if (access(file.c_str(), W_OK) == 0)
    return;
  else if (errno == ENOENT && !file.empty() &&
           access(folder.empty() ? "." : folder.c_str(), W_OK | X_OK) == 0)
    return;
  throw BadInput(fmt::format("{}: can't be written: {}", file, std::strerror(errno)));
}

void make_folder(const std::string& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) throw BadInput(fmt::format("{}: {}", folder, error.message()));
}

}  // namespace programs
