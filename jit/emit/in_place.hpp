// Which outputs of a program may be the very tensor of an input.
#pragma once

#include <set>
#include <utility>

#include "jit/pass/plan.hpp"

namespace aisp::jit {

// (input, output), by parameter. Right where every thread reads an element before it writes it and
// nobody else reads it: the rows schedule, where the input is loaded in no other place than the
// output is stored to, in rows, one block apart from the other, and not after the store.
std::set<std::pair<int, int>> in_place(const Function& function, const Plan& plan);

}  // namespace aisp::jit
