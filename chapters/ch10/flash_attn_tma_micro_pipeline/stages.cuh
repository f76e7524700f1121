// The one kernel of this target: 64 KiB of keys and values a stage, one block per multiprocessor
// whatever the number of stages, so that nobody else's work hides a wait.
#pragma once

#include "chapters/ch10/flash_attention/one_role_launch.cuh"

namespace aisp::ch10 {

constexpr OneRoleConfig pipeline_config(int stages) {
  return {.head_size = 128,
          .block_n = 128,
          .stages = stages,
          .blocks_per_sm = 1,
          .register_p = true,
          .folded = true,
          .tma = true};
}

}  // namespace aisp::ch10
