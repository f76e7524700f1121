// Plans for the mma.sync kernel of sm_80 and later, fed by cp.async or by TMA, and for the general
// one.
#pragma once

#include "tile/collective/load/tma_feed.cuh"
#include "tile/device/gemm/plan.cuh"
#include "tile/kernel/gemm_sm80.cuh"

namespace aisp::tile::device {

namespace detail {

// C with any strides.
template <Element c>
struct Stated<StridedLinear<c>> {
  static constexpr EpilogueAbilities abilities{};
  static void take(const GemmProblem& problem, typename StridedLinear<c>::Params& params) {
    const bool rows = problem.c.major == Major::k;
    params = {problem.alpha,
              problem.beta,
              ElementPointer<c>::untyped(problem.c.data),
              rows ? problem.c.stride : 1,
              rows ? 1 : problem.c.stride,
              problem.c.batch_stride};
  }
};

}  // namespace detail

// An operand as the recipe's feed wants it: by address and strides, or as a tensor map.
template <class Operand>
Operand multistage_operand(const Matrix& matrix, const OperandTile& tile, std::int64_t rows,
                           std::int64_t k, std::int64_t batch) {
  if constexpr (std::is_same_v<Operand, CUtensorMap>)
    return describe(in_memory(matrix, rows, k, batch), tile, tile.lines());
  else
    return {.data = matrix.data,
            .line_stride = matrix.stride,
            .batch_stride = matrix.batch_stride,
            .rows = static_cast<int>(rows),
            .k = static_cast<int>(k)};
}

// Empty, or why a multistage recipe cannot compute the problem. Copies move 16 bytes.
template <class Recipe>
std::string multistage_refuses(const GemmProblem& problem) {
  using Loop = typename Recipe::MainLoop;
  const auto operand = [&](const char* name, const Matrix& matrix, const OperandTile& tile) {
    if (matrix.element != tile.element || matrix.major != tile.major)
      return base::say(name, " is ", name_of(matrix.element), " contiguous along ",
                       matrix.major == Major::k ? "k" : "m or n", "; the kernel takes ",
                       name_of(tile.element), " along ", tile.major == Major::k ? "k" : "m or n");
    return tma_refuses(name, matrix, problem.batch);
  };
  if (problem.d.major != Major::k) return "D is not contiguous along n, the kernel stores rows";
  const std::string why = operand("A", problem.a, Loop::a_tile);
  return !why.empty() ? why : operand("B", problem.b, Loop::b_tile);
}

// The schedule hands out whole tiles. D is row-major; the epilogue's output is filled in here.
template <class Recipe>
GemmBind multistage_plan(const GemmProblem& shape,
                         const typename Recipe::Epilogue::Params& epilogue = {},
                         const LaunchChoice& choice = {}) {
  constexpr Sm80Config config = Recipe::config;
  using Loop = typename Recipe::MainLoop;
  using Schedule = typename Recipe::Schedule;
  Sm80Params<Recipe> params{};
  params.epilogue = epilogue;
  params.schedule = tiles_of<config>(shape, choice.raster);
  const Kernel<Sm80Params<Recipe>> kernel{gemm_sm80<Recipe>, config.threads(),
                                          Recipe::shared_bytes};
  const int blocks = Schedule::clusters(params.schedule, resident_clusters(kernel));
  return [params, kernel, blocks](const GemmProblem& problem) -> PlannedRun {
    const auto& p = problem;
    admit(p);
    if (const std::string why = multistage_refuses<Recipe>(p); !why.empty())
      base::refuse(base::Exit::usage, "gemm: ", why);
    Sm80Params<Recipe> bound = params;
    bound.a = multistage_operand<typename Loop::Operand>(p.a, Loop::a_tile, p.m, p.k, p.batch);
    bound.b = multistage_operand<typename Loop::Operand>(p.b, Loop::b_tile, p.n, p.k, p.batch);
    bound.epilogue.tree = tree_of_problem<typename Recipe::Epilogue::Tree>(p, bound.epilogue.tree);
    bound.epilogue.out = {const_cast<void*>(p.d.data),
                          p.d.stride,
                          1,
                          p.d.batch_stride,
                          {static_cast<int>(p.m), static_cast<int>(p.n)}};
    return [bound, kernel, blocks](cudaStream_t stream) { launch(kernel, bound, blocks, stream); };
  };
}

}  // namespace aisp::tile::device
