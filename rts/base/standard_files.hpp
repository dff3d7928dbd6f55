// Standard input, output and error.
#pragma once

namespace trawl {

/// What the shell left closed must not become the output by being opened next; written to, it
/// fails.
void keep_closed_outputs_closed();

}  // namespace trawl
