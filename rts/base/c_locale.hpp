// Numbers that are read as they are written here, whatever the program has told `setlocale`.
#pragma once

#include <clocale>

namespace trawl {

/// While it lives, this thread's numbers have a point, no comma.
class CLocale {
 public:
  CLocale() noexcept : own_(newlocale(LC_NUMERIC_MASK, "C", nullptr)), before_(uselocale(own_)) {}
  ~CLocale() {
    uselocale(before_);
    freelocale(own_);
  }
  CLocale(const CLocale&) = delete;
  CLocale& operator=(const CLocale&) = delete;

 private:
  locale_t own_;
  locale_t before_;
};

}  // namespace trawl
