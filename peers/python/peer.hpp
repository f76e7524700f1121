// A function of this folder's Python files as a rung.
#pragma once

#include <string>

#include "lab/case/rung.hpp"

namespace aisp::peers {

// "attention.sdpa_cudnn": function(problem, inputs, outputs) in attention.py gives a function
// without arguments that launches the work, and answers with the tensors it wrote or with nothing
// when it wrote into the outputs. Refuses (Exit::environment) on the simulator, where Python or a
// package is missing, and what the peer itself refuses.
std::function<lab::Run(lab::Setup&)> python_peer(const std::string& function);

}  // namespace aisp::peers
