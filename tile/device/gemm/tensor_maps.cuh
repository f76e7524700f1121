// The tensor maps of a GEMM's operands and of its output, for kernels of sm_90 and sm_100.
#pragma once

#include "tile/collective/epilogue/output.cuh"
#include "tile/device/gemm/plan_parts.hpp"

namespace aisp::tile::device {

// How TMA sees an operand of a kernel. Where two e2m1 share a byte they are one element of the
// copy.
template <auto config>
MatrixInMemory operand_in_memory(const Matrix& matrix, std::int64_t rows, const GemmProblem& p) {
  MatrixInMemory found = in_memory(matrix, rows, p.k, p.batch);
  if constexpr (requires { config.packs(); }) {
    if (config.packs()) {
      found.contiguous = (found.contiguous + 1) / 2;
      found.line_stride /= 2;
      found.batch_stride /= 2;
    }
  }
  return found;
}

template <auto config>
BatchMaps operand_maps(const GemmProblem& p) {
  constexpr OperandTile a = config.a_tile(), b = config.b_tile();
  return {describe(operand_in_memory<config>(p.a, p.m, p), a, a.lines() / config.cluster_n),
          describe(operand_in_memory<config>(p.b, p.n, p), b, b.lines() / config.cluster_m)};
}

// One map for each width that the epilogue's subtiles have.
template <auto config>
void describe_output(CUtensorMap (&maps)[4], const MatrixInMemory& out) {
  for (int first = 0; first < config.stored_columns(); first += config.subtile(first).k) {
    const OperandTile subtile = config.subtile(first);
    maps[map_number(config, subtile)] = describe(out, subtile, subtile.lines());
  }
}

template <auto config>
BatchOutput batch_output(const GemmProblem& p) {
  BatchOutput out{};
  if (config.store == Store::tma)
    describe_output<config>(out.maps, in_memory(p.d, p.m, p.n, p.batch));
  out.data = const_cast<void*>(p.d.data);
  out.stride = p.d.stride;
  out.batch_stride = p.d.batch_stride;
  out.extent = {static_cast<int>(p.m), static_cast<int>(p.n)};
  return out;
}

// Of one GEMM in a launch of several.
template <auto config>
ProductMaps group_maps(const GemmProblem& problem) {
  ProductMaps maps{};
  const BatchMaps operands = operand_maps<config>(problem);
  maps.a = operands.a;
  maps.b = operands.b;
  describe_output<config>(maps.out, in_memory(problem.d, problem.m, problem.n, 1));
  return maps;
}

}  // namespace aisp::tile::device
