// Writing a recording (recording.hpp): what is in it, and when it goes to the disk. What happened
// and how long it took is for sched/recorder.* to say.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "rts/inline/bytes.hpp"
#include "rts/trace/recording.hpp"
#include "rts/trace/sites.hpp"

namespace trawl::trace {

/// To be called by one OS thread at a time. A task that is done in less than `recording::grain`,
/// with all that it began, is written as one piece, unless others have to do with what is in it: it
/// forced a spark of others, or left one, or placed one, whose result others may use.
class Record {
 public:
  /// Starts the file afresh, with the root begun. Throws Error when it can't be written.
  Record(const std::string& file, std::string_view program);
  ~Record();
  Record(const Record&) = delete;
  Record& operator=(const Record&) = delete;

  /// The running task computed. May be less than nothing, as clocks are: the sum counts.
  void work(Nanos time) noexcept { piece_ += time; }
  /// The new task's number.
  std::uint64_t spawn(std::uint16_t site = 0);
  std::uint64_t par(std::uint16_t site = 0);
  std::uint64_t place(std::uint16_t site = 0);
  void sync(std::uint64_t task, std::uint64_t arguments, std::uint64_t function = 0);
  void force(std::uint64_t task, std::uint64_t arguments, std::uint64_t function = 0);
  void eval(std::uint64_t arguments, std::uint64_t function = 0);
  /// `kept`: bytes that the result refers to, and that stay where it is.
  void end(std::uint64_t result, std::uint64_t kept = 0);

  /// A shared value's number.
  std::uint32_t share(std::uint64_t bytes);
  /// Of the task that has just begun.
  void refer(std::uint32_t shared);
  /// So was the result of a placed task, which has ended.
  void use(std::uint64_t task);

  /// The next function's name, from 1 on.
  void name(std::string_view function);
  /// The next site, from 1 on.
  void site(StackPlaces stack);

  /// Ends what has not ended, and writes the rest.
  void close() noexcept;
  /// Writes the rest, but neither what has not ended nor an end: the reader will say so.
  void cut_short() noexcept;
  /// Why the recording is not whole, in one line; empty while all is well.
  const std::string& trouble() const noexcept { return trouble_; }

 private:
  struct Open {
    std::uint64_t after;   // the number of the next task when it began
    std::uint64_t sparks;  // those that nobody had forced then
    Nanos worked;          // by all, then
    std::size_t at;        // where its events begin, if they are still here
    std::uint64_t block;   // and that is so if this many blocks are written
    bool open = false;     // it has forced a spark that it did not make, or placed one
  };

  void put(Did what);
  void number(std::uint64_t n) noexcept;
  void end_piece();
  void begin(std::uint64_t task);
  void leave() noexcept;
  bool is_one_piece(const Open& task) const noexcept;
  std::size_t behind_event(std::size_t at) const noexcept;
  std::size_t behind_beginning(std::size_t at) const noexcept;
  void flush() noexcept;
  void write_rest() noexcept;
  void close_file() noexcept;
  void write_names() noexcept;
  void write_sites() noexcept;
  void write_end() noexcept;
  void write_shared() noexcept;
  void write_block(std::uint32_t magic) noexcept;
  void write(const void* data, std::size_t size) noexcept;

  std::string file_name_;
  int file_ = -1;
  std::string trouble_;
  Bytes block_;
  std::size_t size_;
  std::uint64_t blocks_ = 0;
  std::uint64_t header_sum_ = 0;
  std::uint64_t next_ = 1;
  std::uint64_t sparks_ = 0;
  Nanos piece_ = 0;
  Nanos worked_ = 0;
  std::vector<Open> stack_;
  std::size_t placers_ = 0;  // of these, from the root on: all of them are open
  std::string names_;        // a zero byte behind each
  std::vector<std::vector<std::uint32_t>> sites_;
  std::vector<std::uint64_t> shared_;  // bytes
};

}  // namespace trawl::trace
