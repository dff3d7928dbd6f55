// Nobody else evaluates what is about to be sent away.
#pragma once

#include "rts/inline/node.hpp"

namespace trawl::heap {

/// A thunk that is about to be sent away, and is not if that fails.
class Claim {
 public:
  explicit Claim(Node* thunk)
      : thunk_(thunk->move(State::unevaluated, State::exported) ? thunk : nullptr) {}
  ~Claim() {
    if (thunk_ != nullptr) thunk_->settle(State::exported, State::unevaluated);
  }
  Claim(const Claim&) = delete;
  Claim& operator=(const Claim&) = delete;

  bool got() const noexcept { return thunk_ != nullptr; }
  void keep() noexcept { thunk_ = nullptr; }

 private:
  Node* thunk_;
};

}  // namespace trawl::heap
