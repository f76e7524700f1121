// A and B of tcgen05.mma as arrays of one element per word, from shared or from tensor memory.
#pragma once

#include <cstdint>

#include "sim/exec/matrix/tcgen05/instruction_descriptor.hpp"
#include "sim/exec/tensor_memory/descriptor.hpp"
#include "sim/machine/warp.hpp"

namespace aisp::sim {

struct MatrixPart {  // of an array: where it begins, the distance of neighbours in M or N and in k
  std::uint32_t* to = nullptr;
  int mn_step = 1, k_step = 1;
  int count = 0, k = 0;  // rows of M or N, elements along k
};

// `fours`: elements of e2m1 are two in a byte; otherwise 16 of 4 or 6 bits are padded to 16 bytes.
void read_shared_matrix(Block& block, const TensorDescriptor& from, Type type, bool fours,
                        bool mn_major, const MatrixPart& part);

// Faults when the descriptor and the type do not go together. `operand`: 'A' or 'B'.
void check_matrix(std::uint64_t descriptor, Type type, bool mn_major, bool sparse_b, char operand);

// Eight columns from `column` on of the lane that holds a row of A.
void read_tensor_row(TensorMemory& memory, int lane, std::uint32_t column, Type type, bool fours,
                     std::uint32_t* to);

}  // namespace aisp::sim
