// Steps of skeletons that are made again, from the last that somebody has.
#pragma once

#include "rts/inline/node.hpp"

namespace trawl::recover {

/// Has all steps evaluated by their recipes that `last`, a recipe, is made from, each where it was
/// before, or, if that PE is dead, where its first argument is or will be. (By `last` alone each
/// would be evaluated inside of the next: here, and with as much stack as there are steps.) On a
/// thread.
void evaluate_steps(heap::Node* last);

}  // namespace trawl::recover
