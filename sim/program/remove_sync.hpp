// Mutants of kernels: one synchronising instruction taken out of the text before it is decoded, so
// that a test can see who notices. Counted are fences, barriers, arrivals, commits and waits, in
// the order of the text; not the initialisation of a barrier, and no arrival whose phase is used.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "sim/ptx/module.hpp"

namespace aisp::sim {

// One line for each such instruction of each kernel, tabs between: kernel, number from 0, line of
// the PTX, "file:line" of the source with those it was inlined into (" < " between), text.
std::string list_sync(ptx::Module& module);

// A trap tells whether a run comes to the instruction at all.
enum class InItsPlace { nothing, trap };

// Takes number `index` out of every kernel whose name contains `kernel`; a test of an mbarrier
// answers yes instead. One line per instruction that is gone; empty where there was none.
std::string remove_sync(ptx::Module& module, std::string_view kernel, std::size_t index,
                        InItsPlace what = InItsPlace::nothing);

}  // namespace aisp::sim
