// How the kernels without TMA and wgmma are planned: those of Ampere, which want aligned
// operands, and the general one, which takes everything.
#pragma once

#include "tile/device/gemm/multistage_plan.cuh"
#include "tile/device/gemm/recipe_table.hpp"
#include "tile/instances/types.hpp"
#include "tile/kernel/general.cuh"
#include "tile/schedule/single.hpp"

namespace aisp::tile::device {

inline FragmentOutput fragment_output(const GemmProblem& p) {
  const bool rows = p.d.major == Major::k;
  return {const_cast<void*>(p.d.data),
          rows ? p.d.stride : 1,
          rows ? 1 : p.d.stride,
          p.d.batch_stride,
          {static_cast<int>(p.m), static_cast<int>(p.n)}};
}

// What the recipe is called in the table.
template <class Kernel>
RecipeInfo described(const char* name, Family family, Types types) {
  constexpr MultistageConfig config = Kernel::config;
  return {.name = name,
          .config = {.a = types.a,
                     .b = types.b,
                     .out = types.out,
                     .a_major = types.a_major,
                     .b_major = types.b_major,
                     .tile_m = config.tile_m,
                     .tile_n = config.tile_n,
                     .tile_k = config.tile_k,
                     .stages = config.stages},
          .schedule = ScheduleKind::whole_tiles,
          .family = family};
}

template <Types types>
struct MultistageKernel
    : MultistageRecipe<MmaSync<types.a>,
                       MultistageConfig{.tile_n = 128,
                                        .tile_k = 64 / bytes_of(types.a),
                                        .a_major = types.a_major,
                                        .b_major = types.b_major},
                       FragmentEpilogue<ProductTree<types.out>, types.out>, SingleTile> {
  using Tree = ProductTree<types.out>;
};

template <class Kernel>
GemmRun plan_multistage(const GemmProblem& p, const LaunchChoice& choice, const Allocate&) {
  return multistage_plan<Kernel>(p, {}, choice)(p);
}

template <Types... types>
void add_multistage_of(RecipeTable& table) {
  (table.push_back(
       {described<MultistageKernel<types>>("multistage_128x128", Family::multistage, types),
        plan_multistage<MultistageKernel<types>>}),
   ...);
}

template <Element out>
using AnyStrideTree = std::conditional_t<out == Element::s32, Accumulator, StridedLinear<out>>;

template <Types types>
struct GeneralKernel
    : GeneralRecipe<types.a, types.b, FragmentEpilogue<AnyStrideTree<types.out>, types.out, false>,
                    SingleTile> {};

template <class Kernel>
GemmRun plan_general_with(const GemmProblem& p, const LaunchChoice& choice,
                          const typename Kernel::Epilogue::Tree::Params& tree) {
  const auto operand = [](const Matrix& matrix, std::int64_t rows, std::int64_t k) {
    const bool along_k = matrix.major == Major::k;
    return GeneralMatrix{
        matrix.data,         along_k ? matrix.stride : 1, along_k ? 1 : matrix.stride,
        matrix.batch_stride, static_cast<int>(rows),      static_cast<int>(k)};
  };
  GeneralParams<Kernel> params{.a = operand(p.a, p.m, p.k),
                               .b = operand(p.b, p.n, p.k),
                               .epilogue = {.tree = tree, .out = fragment_output(p)},
                               .schedule = tiles_of<Kernel::config>(p, choice.raster)};
  return [params](cudaStream_t stream) {
    const int blocks = Kernel::Schedule::clusters(params.schedule, 0);
    gemm_general<Kernel><<<blocks, Kernel::config.threads(), 0, stream>>>(params);
    check_cuda(cudaGetLastError(), "launch of gemm_general");
  };
}

// alpha, beta and C as the problem states them.
template <Element element>
typename StridedLinear<element>::Params strided_linear(const GemmProblem& p) {
  const bool rows = p.c.major == Major::k;
  return {p.alpha,
          p.beta,
          ElementPointer<element>::untyped(p.c.data),
          rows ? p.c.stride : 1,
          rows ? 1 : p.c.stride,
          p.c.batch_stride};
}

template <class Kernel, Element out>
GemmRun plan_general(const GemmProblem& p, const LaunchChoice& choice, const Allocate&) {
  if constexpr (out == Element::s32)
    return plan_general_with<Kernel>(p, choice, {});
  else
    return plan_general_with<Kernel>(p, choice, strided_linear<out>(p));
}

template <Types... types>
void add_general_of(RecipeTable& table) {
  (table.push_back({described<GeneralKernel<types>>("general", Family::general, types),
                    plan_general<GeneralKernel<types>, types.out>}),
   ...);
}

}  // namespace aisp::tile::device
