// The tile program that is looked at, and what `aisp inspect` shows of it.
#pragma once

#include <cstdint>

#include "jit/program.hpp"
#include "jit/run/kernel.hpp"
#include "lab/case/rung.hpp"

namespace aisp::ch14 {

// Added to the mean square of a row, so that a row of zeros stays finite.
inline constexpr float norm_epsilon = 1e-6f;

// Every row divided by its root mean square, then silu: y = n * sigmoid(n).
inline jit::Program norm_silu() {
  using namespace jit;
  return {"norm_silu", [](Input<2> x, Output<2> y) {
            x.named("x"), y.named("y");
            auto row = blocks(x.extent(0), 1);
            auto v = x.load({row, 0}, {1, whole}).named("v");
            auto square = (sum(v * v, axis(1)) / to(Arg(x.extent(1)), f32)).named("square");
            auto n = (v * rsqrt(square + double{norm_epsilon})).named("n");
            y.store({row, 0}, n * sigmoid(n));
          }};
}

inline std::vector<jit::Tensor> tensors_of(const lab::Problem& problem, const void* x, void* y) {
  const std::int64_t rows = problem.size.dims.at(0), columns = problem.size.dims.at(1);
  return {jit::Tensor(x, jit::bf16, {rows, columns}), jit::Tensor(y, jit::bf16, {rows, columns})};
}

// As a launch passes a tensor of two axes to an emitted kernel (jit/emit/emitted.hpp).
struct TensorArgument {
  const void* data;
  std::int64_t extent[2], stride[2];
};

// All that somebody knows of the program who has only looked at it.
struct Shown {
  jit::Inspection seen;
  std::int64_t blocks;

  TensorArgument argument(const lab::Problem& problem, const void* data) const {
    const auto& dims = problem.size.dims;
    return {data, {dims.at(0), dims.at(1)}, {dims.at(1), 1}};
  }
  jit::LaunchShape shape() const {
    return {.grid = dim3(static_cast<unsigned>(blocks)),
            .block = dim3(static_cast<unsigned>(seen.threads)),
            .shared_bytes = static_cast<std::size_t>(seen.shared_bytes)};
  }
};

// For tensors of the problem's extents, aligned as the lab's are; their addresses do not matter.
inline Shown shown(const lab::Problem& problem) {
  const jit::Program program = norm_silu();
  const auto apart = [](std::uintptr_t place) { return reinterpret_cast<void*>(place << 44); };
  const auto tensors = tensors_of(problem, apart(1), apart(2));
  const auto& dims = problem.size.dims;
  return {program.inspect_for(tensors),
          program.variant(program.signature(tensors)).blocks({dims, dims})};
}

}  // namespace aisp::ch14
