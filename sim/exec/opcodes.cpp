#include "sim/exec/opcodes.hpp"

#include "sim/exec/host_level.hpp"

namespace aisp::sim {

// Compiled once per level of the host's instruction set, under the name of the level.
const OpcodeTable& host_level::AISP_HOST_LEVEL() {
  static const OpcodeTable table(
      {integer_rows(),  logic_rows(),         move_rows(),       convert_rows(), special_rows(),
       memory_rows(),   atomic_rows(),        image_rows(),      warp_rows(),    barrier_rows(),
       mbarrier_rows(), async_rows(),         matrix_rows(),     mma_rows(),     wmma_rows(),
       wgmma_rows(),    tensor_memory_rows(), tensor_mma_rows(), control_rows(), stack_rows()});
  return table;
}

}  // namespace aisp::sim
