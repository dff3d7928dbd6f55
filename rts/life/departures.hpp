// PEs that leave while the run goes on: what the main PE waits for before it lets them go.
#pragma once

#include <cstdint>
#include <vector>

namespace trawl::life {

/// Pure bookkeeping, guarded by its PE's lock. A PE may go when nothing is left at it and all
/// others have got back what they had there.
class Departures {
 public:
  /// `others`: all who may have something there.
  void begin(int pe, std::vector<int> others) { all_.push_back({pe, std::move(others)}); }
  bool begun(int pe) const noexcept;

  /// Nothing is left there; or, in a hurry, so many threads are, and nobody is to be waited for.
  void may_go(int pe, bool hurry, std::uint32_t threads) noexcept;
  /// Another has come, which has to be settled with, too.
  void joined(int pe);
  /// `from` has nothing at `pe` any more.
  void settled(int from, int pe) noexcept;
  /// It is gone, however: nobody waits for it, and it for nobody.
  void gone(int pe) noexcept;

  struct Departure {
    int pe;
    std::vector<int> missing;  ///< those who have not said that they are settled
    bool may_go = false;
    bool hurries = false;
    std::uint32_t threads = 0;  ///< left unfinished
  };

  /// One that may go; nullptr: there is none.
  const Departure* next() const noexcept;

 private:
  Departure* find(int pe) noexcept;

  std::vector<Departure> all_;
};

}  // namespace trawl::life
