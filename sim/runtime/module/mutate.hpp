// Mutants of programs, asked for by the environment:
//   AISP_SIM_DROP=<part of a kernel's name>:<n>   without its n-th synchronising instruction
//   AISP_SIM_TRAP=<the same>                      with a trap in its place: does a run come there?
//   AISP_SIM_DROP_WAIT=<n>                        without the process's n-th cudaStreamWaitEvent:
//                                                 what it waited for runs when nothing else can
//   AISP_SIM_LIST_SYNC=1 or a file to add to      which those are: instructions of every module
//                                                 that is loaded, waits as they are called, and
//                                                 which kernels were launched
#pragma once

#include <string>

#include "sim/ptx/module.hpp"

namespace aisp::sim {

void mutate(ptx::Module& module);

// Counts a cudaStreamWaitEvent, from 1. True: it is to do nothing. `text` says who waits for whom.
bool drops_wait(const std::string& text);

// A kernel runs: only mutants of such are worth trying. `name` as in the list of instructions.
void list_launch(const std::string& name);

}  // namespace aisp::sim
