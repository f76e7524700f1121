// Which CUDA runtime this process has. A program that is linked with one has it; `aisp` looks for
// one when it starts (app/cuda_runtime.cpp) and may find none.
#pragma once

namespace aisp::lab {

enum class CudaRuntime {
  found,     // a toolkit's, or the simulator where it was put in front
  stand_in,  // none of a toolkit: the program's own simulator, which was not asked for yet
  none,      // not even that
};

CudaRuntime cuda_runtime();
void set_cuda_runtime(CudaRuntime runtime);  // at the program's start

}  // namespace aisp::lab
