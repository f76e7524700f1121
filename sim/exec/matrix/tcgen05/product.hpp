// One tcgen05.mma as it was issued. It reads and writes tensor memory, and reads shared memory,
// when it is called, not before.
#pragma once

#include <array>
#include <cstdint>

#include "sim/exec/matrix/tcgen05/instruction_descriptor.hpp"
#include "sim/exec/matrix/tcgen05/layout.hpp"
#include "sim/exec/tensor_memory/words.hpp"
#include "sim/machine/tensor_use.hpp"

namespace aisp::sim {

struct TensorProduct {
  MmaForm form;
  MmaShape shape;
  TensorBlocks blocks;
  std::uint64_t a_descriptor = 0, b_descriptor = 0, zero_columns = 0;
  TensorAddress d, a, metadata;
  std::uint32_t a_scales = 0, b_scales = 0;
  std::array<std::uint32_t, 8> disabled{};  // bit per lane, of the second block from word 4 on
  bool accumulate = true;

  void operator()() const;
  // Tells the warp's observer which cells it will touch; `lane` issues it.
  void tell_uses(Warp& warp, int lane) const;

 private:
  bool fours() const { return form.kind == MmaKind::mxf4 || form.kind == MmaKind::mxf4nvf4; }
  AccumulatorLayout layout() const {
    return AccumulatorLayout::of(shape.m, form.pair, form.weight_stationary, form.sparse);
  }
  void read_b() const;
  void read_a(Block& block, int piece) const;
  void read_index(Block& block, int piece) const;
  void read_accumulators(Block& block) const;
  void write_accumulators(Block& block, int number, int piece) const;
  void multiply(Block& block) const;
  // The rows of B that the elements of A from row `first` on meet; null: A is dense.
  const std::uint8_t* index_of(int first) const;
  void multiply_powers(Block& block) const;
  void multiply_fours(Block& block) const;
  void run_block(Block& block, int number) const;
  MetadataLayout metadata_layout() const {
    return {shape.a == Type::f16 || shape.a == Type::bf16 || shape.a == Type::tf32};
  }
  // uses.cpp
  TensorCells cells_of_rows(TensorAddress at, std::uint32_t columns) const;
  template <class Tell>
  void tell_metadata(TensorUse& use, Tell&& tell) const;
  template <class Tell>
  void tell_scales(TensorUse& use, Tell&& tell) const;
};

}  // namespace aisp::sim
