// Mutants of kernels, asked for by the environment:
//   AISP_SIM_DROP=<part of a kernel's name>:<n>   without its n-th synchronising instruction
//   AISP_SIM_LIST_SYNC=1 or a file to add to      which those are, in every module that is loaded
#pragma once

#include "sim/ptx/module.hpp"

namespace sim {

void mutate(ptx::Module& module);

}  // namespace sim
