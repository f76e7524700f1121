#include "sim/exec/opcodes.hpp"

namespace sim {

const OpcodeTable& opcode_table() {
  static const OpcodeTable table({integer_rows(), logic_rows(), move_rows(), convert_rows(),
                                  special_rows(), memory_rows(), atomic_rows(), warp_rows(),
                                  barrier_rows(), control_rows(), mbarrier_rows(), copy_rows(),
                                  matrix_rows(), wgmma_rows()});
  return table;
}

}  // namespace sim
