// All functions of this program that thunks suspend, and their numbers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "rts/inline/code.hpp"
#include "rts/inline/node.hpp"

namespace trawl::heap {

/// The name as people write it: `fib(long int)`.
std::string short_name(const Code& code);

/// After which code logs name a thunk that is not evaluated yet.
inline std::uint32_t logged_code(Node* thunk) {
  const Code& code = thunk->code();
  return code.subject != nullptr ? code.subject(thunk)->code().id : code.id;
}

/// All codes of this program, numbered by name when the first PE starts.
class CodeTable {
 public:
  static const CodeTable& get();

  /// The code with this id; throws BadBytes if there is none.
  const Code& at(std::uint32_t id) const;
  std::size_t size() const noexcept { return by_id_.size(); }

  /// Equal on PEs that run the same program.
  std::uint64_t digest() const noexcept { return digest_; }

 private:
  CodeTable();

  std::vector<const Code*> by_id_;
  std::uint64_t digest_;
};

}  // namespace trawl::heap
