// From the lab's buffers to the operands of the kernels.
#pragma once

#include "chapters/ch09/micro_tiling_matmul/matmul.cuh"
#include "lab/case/rung.hpp"

namespace ch09 {

inline MatmulArgs matmul_args(const lab::Launch& launch) {
  return {.a = launch.in<float>(0),
          .b = launch.in<float>(1),
          .c = launch.out<float>(0),
          .m = static_cast<int>(launch.dim(0)),
          .n = static_cast<int>(launch.dim(1)),
          .k = static_cast<int>(launch.dim(2))};
}

}  // namespace ch09
