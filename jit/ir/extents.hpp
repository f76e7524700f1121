// Whether the tensors of a call fit each other, for a function that goes over all of them: tensors
// that are used at one position have the same extents, and an output is written as a whole.
#pragma once

#include "jit/ir/index_forms.hpp"

namespace aisp::jit {

// Refuses what is certain, by one line with the place, both tensors and their extents:
// - elements of an output that no store writes; `add` and `raise` leave the others as they are
// - elements of an input that are loaded and then left out, because another tensor ends before
// - a value that is read where its tensor has ended and that is used nevertheless
// - elements of a stored tile that are outside of the output, beyond the last tile's rest
// Positions that come out of memory, quotients and remainders are not known here.
void refuse_disagreeing_extents(const Function& function, const CallExtents& extents);

}  // namespace aisp::jit
