// A value that knows how many of its kind there are.
#pragma once

namespace trawl::test {

/// `Whose`: a count for each of them.
template <class Whose>
class Counted {
 public:
  Counted() { ++alive; }
  Counted(const Counted&) { ++alive; }
  ~Counted() { --alive; }
  Counted& operator=(const Counted&) = default;

  template <class Archive>
  void serialize(Archive&) {}

  static inline int alive = 0;
};

}  // namespace trawl::test
