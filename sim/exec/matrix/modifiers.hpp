// The modifiers of matrix instructions. The assembler takes them in any order, compilers write them
// in several: all are read first, then each instruction asks for what it needs.
#pragma once

#include <vector>

#include "sim/exec/arithmetic/floating/rounding.hpp"
#include "sim/exec/tensor_memory/decompress.hpp"
#include "sim/program/binding.hpp"

namespace aisp::sim {

enum class BitOperation : std::uint8_t { none, exclusive_or, conjunction };

struct MatrixModifiers {
  bool sparse = false, saturate = false, transposed = false;
  bool rounds = false;
  Round round = Round::rn;
  BitOperation bits = BitOperation::none;
  int m = 0, n = 0, k = 0;  // m8n8 of ldmatrix has k 0; all 0: no shape given
  std::uint8_t count = 0;   // .x1 .x2 .x4
  char role = 0;            // wmma.load.a
  ptx::Space space = ptx::Space::none;
  std::vector<bool> row_major;          // .row .col as they come
  std::vector<Type> types;              // as they come
  bool bytes = false, unpacks = false;  // .b8 or .b8x16; the latter
  Packed packed = Packed::none;         // what stands behind .b8x16
};

// Reads all modifiers left; `.sync.aligned` must be among them. Refuses an unknown one, and by name
// those of other architectures, and but for those that move matrices the words for bytes.
MatrixModifiers matrix_modifiers(Binding& binding, bool moves_bytes = false);

// The registers of a vector operand {a, b, ...}, in the list of the op. Refuses another number.
enum class Use : std::uint8_t { read, write, read_write };
void list_registers(Binding& binding, int operand, int count, Type type, Use use);

}  // namespace aisp::sim
