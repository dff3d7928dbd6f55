#include "rts/trace/record.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include <fcntl.h>
#include <unistd.h>

#include "rts/host/executable.hpp"

namespace trawl::trace {
namespace {

constexpr std::size_t buffer = recording::block_header_size + (std::size_t{1} << 20U);
static_assert(buffer <= recording::most_block);

}  // namespace

Record::Record(const std::string& file, std::string_view program)
    : file_name_(file), block_(buffer), size_(recording::block_header_size) {
  file_ = ::open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (file_ < 0) throw Error("cannot write the recording " + file + ": " + std::strerror(errno), 2);
  program = program.substr(0, recording::longest_name);
  Writer header;
  header.put(recording::file_magic);
  header.put(recording::version);
  header.put_string(program);
  header_sum_ = recording::checksum(header.view());
  write(header.view().data(), header.size());
  stack_.push_back({next_, 0, 0, size_, blocks_});
}

Record::~Record() {
  if (file_ >= 0) ::close(file_);
}

std::uint64_t Record::spawn(std::uint16_t site) {
  end_piece();
  put(Did::spawn);
  number(site);
  return next_++;
}

std::uint64_t Record::par(std::uint16_t site) {
  end_piece();
  put(Did::par);
  number(site);
  ++sparks_;
  return next_++;
}

std::uint64_t Record::place(std::uint16_t site) {
  end_piece();
  put(Did::place);
  number(site);
  ++sparks_;
  for (; placers_ < stack_.size(); ++placers_) stack_[placers_].open = true;
  return next_++;
}

void Record::sync(std::uint64_t task, std::uint64_t arguments, std::uint64_t function) {
  end_piece();
  begin(task);
  put(Did::sync);
  number(next_ - task);
  number(arguments);
  number(function);
}

void Record::force(std::uint64_t task, std::uint64_t arguments, std::uint64_t function) {
  end_piece();
  --sparks_;
  begin(task);
  put(Did::force);
  number(next_ - task);
  number(arguments);
  number(function);
}

void Record::eval(std::uint64_t arguments, std::uint64_t function) {
  end_piece();
  begin(next_);
  put(Did::eval);
  number(arguments);
  number(function);
  ++next_;
  ++stack_.back().after;
}

std::uint32_t Record::share(std::uint64_t bytes) {
  shared_.push_back(bytes);
  return static_cast<std::uint32_t>(shared_.size());
}

void Record::refer(std::uint32_t shared) {
  put(Did::refer);
  number(shared);
}

void Record::use(std::uint64_t task) {
  put(Did::use);
  number(next_ - task);
}

// It may be cut down to its beginning, if that is still in the buffer.
void Record::begin(std::uint64_t task) {
  for (auto open = stack_.rbegin(); open != stack_.rend() && open->after > task; ++open)
    open->open = true;
  if (buffer - size_ < 4 * recording::longest_event) flush();
  stack_.push_back({next_, sparks_, worked_, size_, blocks_});
}

void Record::leave() noexcept {
  stack_.pop_back();
  placers_ = std::min(placers_, stack_.size());
}

bool Record::is_one_piece(const Open& task) const noexcept {
  return !task.open && task.sparks == sparks_ && task.block == blocks_ &&
         worked_ + piece_ - task.worked < recording::grain;
}

void Record::end(std::uint64_t result, std::uint64_t kept) {
  const Open task = stack_.back();
  const bool is_root = stack_.size() == 1;
  if (!is_root && is_one_piece(task)) {
    piece_ += std::exchange(worked_, task.worked) - task.worked;
    if (block_[task.at] == static_cast<std::byte>(Did::eval)) {  // nobody else could have had it
      size_ = task.at;
      next_ = task.after - 1;
      return leave();
    }
    size_ = behind_beginning(task.at);
    next_ = task.after;
  }
  end_piece();
  leave();
  if (kept != 0) {
    put(Did::keep);
    number(kept);
  }
  put(Did::end);
  number(result);
}

std::size_t Record::behind_event(std::size_t at) const noexcept {
  auto numbers = event_numbers[static_cast<std::size_t>(block_[at++])];
  for (; numbers != 0; ++at)
    if ((block_[at] & std::byte{0x80}) == std::byte{0}) --numbers;
  return at;
}

std::size_t Record::behind_beginning(std::size_t at) const noexcept {
  at = behind_event(at);
  const auto is_given = [this](std::byte did) {
    return did == static_cast<std::byte>(Did::refer) || did == static_cast<std::byte>(Did::use);
  };
  while (at < size_ && is_given(block_[at])) at = behind_event(at);
  return at;
}

void Record::end_piece() {
  if (piece_ > 0) {
    const auto time = std::min(piece_, recording::longest_work);
    put(Did::work);
    number(static_cast<std::uint64_t>(time));
    worked_ += time;
    piece_ = 0;
  }
}

void Record::put(Did what) {
  if (buffer - size_ < recording::longest_event) flush();
  block_[size_++] = static_cast<std::byte>(what);
}

void Record::number(std::uint64_t n) noexcept {
  for (; n >= 0x80; n >>= 7U) block_[size_++] = static_cast<std::byte>(n | 0x80U);
  block_[size_++] = static_cast<std::byte>(n);
}

void Record::name(std::string_view function) {
  names_ += function.substr(0, recording::longest_function);
  names_ += '\0';
}

void Record::site(StackPlaces stack) {
  sites_.emplace_back(stack.begin(), stack.end());
}

void Record::flush() noexcept {
  if (size_ == recording::block_header_size) return;
  write_block(recording::block_magic);
}

// Those that find no room are unknown: a program has some hundred.
void Record::write_names() noexcept {
  if (names_.empty()) return;
  constexpr auto room = buffer - recording::block_header_size;
  const auto size = names_.rfind('\0', room - 1) + 1;
  std::memcpy(block_.data() + size_, names_.data(), size);
  size_ += size;
  write_block(recording::names_magic);
}

// Some hundred bytes each, of some hundred.
void Record::write_sites() noexcept {
  const auto& program = executable();
  if (sites_.empty() || program.path.size() > recording::longest_path) return;
  for (const auto* text : {&program.path, &program.build}) {
    std::memcpy(block_.data() + size_, text->c_str(), text->size() + 1);
    size_ += text->size() + 1;
  }
  for (const auto& site : sites_) {
    number(site.size());
    for (const auto place : site) number(place);
  }
  write_block(recording::sites_magic);
}

void Record::write_shared() noexcept {
  if (shared_.empty()) return;
  for (const auto bytes : shared_) number(bytes);
  write_block(recording::shared_magic);
}

// So that a file that was cut is no shorter recording.
void Record::write_end() noexcept {
  for (const auto number : {blocks_, header_sum_}) {
    std::memcpy(block_.data() + size_, &number, sizeof number);
    size_ += sizeof number;
  }
  write_block(recording::end_magic);
}

void Record::write_block(std::uint32_t magic) noexcept {
  ++blocks_;
  const auto size = size_ - recording::block_header_size;
  size_ = recording::block_header_size;
  const auto events = std::span(block_).subspan(recording::block_header_size, size);
  const auto count = static_cast<std::uint32_t>(size);
  const auto sum = recording::checksum(events);
  std::memcpy(block_.data(), &magic, 4);
  std::memcpy(block_.data() + 4, &count, 4);
  std::memcpy(block_.data() + 8, &sum, 8);
  write(block_.data(), recording::block_header_size + size);
}

void Record::write(const void* data, std::size_t size) noexcept {
  const char* next = static_cast<const char*>(data);
  while (size != 0 && file_ >= 0) {
    const auto written = ::write(file_, next, size);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) {
      trouble_ = "the recording " + file_name_ + " ends early: " + std::strerror(errno);
      ::close(file_);
      file_ = -1;
      return;
    }
    next += written;
    size -= static_cast<std::size_t>(written);
  }
}

void Record::close() noexcept {
  if (file_ < 0) return;
  while (!stack_.empty()) end(0);
  write_rest();
  write_end();
  close_file();
}

void Record::cut_short() noexcept {
  if (file_ < 0) return;
  end_piece();
  write_rest();
  close_file();
}

void Record::write_rest() noexcept {
  flush();
  write_names();
  write_sites();
  write_shared();
}

void Record::close_file() noexcept {
  if (file_ >= 0 && ::close(file_) != 0)
    trouble_ = "the recording " + file_name_ + " ends early: " + std::strerror(errno);
  file_ = -1;
}

}  // namespace trawl::trace
