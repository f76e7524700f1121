// How the kernels without TMA and wgmma are planned: those of Ampere, which want aligned
// operands, and the general one, which takes everything.
#pragma once

#include "tile/device/gemm/plan_sm80.cuh"
#include "tile/device/gemm/recipe_table.hpp"
#include "tile/instances/types.hpp"
#include "tile/kernel/gemm_general.cuh"
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

// The table's entry of a kernel that states its elements in `types`.
template <class Kernel>
KernelDescription described(const char* name, Family family, Types types) {
  KernelDescription kernel = description_of(family, Kernel::config, types.a, types.b, types.out);
  kernel.name = name;
  kernel.a_major = types.a_major, kernel.b_major = types.b_major;
  kernel.epilogue = abilities_of<typename Kernel::Tree>;
  return kernel;
}

template <Types types, class Tree_ = ProductTree<types.out>>
struct MultistageKernel : Sm80Recipe<MmaSync<types.a>,
                                     Sm80Config{.tile_n = 128,
                                                .tile_k = 64 / bytes_of(types.a),
                                                .a_major = types.a_major,
                                                .b_major = types.b_major},
                                     FragmentEpilogue<Tree_, types.out>, SingleTile> {
  using Tree = Tree_;
};

template <class Kernel>
PlannedRun plan_multistage(const GemmProblem& p, const LaunchChoice& choice, const Allocate&) {
  return multistage_plan<Kernel>(p, {}, choice)(p);
}

template <class Kernel, Types types>
void add_multistage(GemmTable& table) {
  table.push_back(
      {described<Kernel>("multistage_128x128", Family::sm80, types), plan_multistage<Kernel>});
}

template <Types... types>
void add_multistage_of(GemmTable& table) {
  (add_multistage<MultistageKernel<types>, types>(table), ...);
}
template <Types... types>
void add_multistage_fused_of(GemmTable& table) {
  (add_multistage<MultistageKernel<types, FusedTree<types.out>>, types>(table), ...);
}

template <Element out>
using AnyStrideTree = std::conditional_t<out == Element::s32, Accumulator, StridedLinear<out>>;

template <Types types, class Tree_ = AnyStrideTree<types.out>>
struct GeneralKernel
    : GeneralRecipe<types.a, types.b, FragmentEpilogue<Tree_, types.out, false>, SingleTile> {
  using Tree = Tree_;
};

template <class Kernel>
PlannedRun plan_general(const GemmProblem& p, const LaunchChoice& choice, const Allocate&) {
  const auto operand = [](const Matrix& matrix, std::int64_t rows, std::int64_t k) {
    const bool along_k = matrix.major == Major::k;
    return GeneralMatrix{
        matrix.data,         along_k ? matrix.stride : 1, along_k ? 1 : matrix.stride,
        matrix.batch_stride, static_cast<int>(rows),      static_cast<int>(k)};
  };
  GeneralParams<Kernel> params{
      .a = operand(p.a, p.m, p.k),
      .b = operand(p.b, p.n, p.k),
      .epilogue = {.tree = tree_of_problem<typename Kernel::Tree>(p), .out = fragment_output(p)},
      .schedule = tiles_of<Kernel::config>(p, choice.raster)};
  return [params](cudaStream_t stream) {
    const int blocks = Kernel::Schedule::clusters(params.schedule, 0);
    gemm_general<Kernel><<<blocks, Kernel::config.threads(), 0, stream>>>(params);
    check_cuda(cudaGetLastError(), "launch of gemm_general");
  };
}

template <class Kernel, Types types>
void add_general(GemmTable& table) {
  table.push_back({described<Kernel>("general", Family::general, types), plan_general<Kernel>});
}

template <Types... types>
void add_general_of(GemmTable& table) {
  (add_general<GeneralKernel<types>, types>(table), ...);
}
template <Element... elements>
void add_general_fused_of(GemmTable& table) {
  (add_general<GeneralKernel<Types{.a = elements, .b = elements, .out = elements},
                             ChosenActivation<PlusBias<elements, StridedLinear<elements>>>>,
               Types{.a = elements, .b = elements, .out = elements}>(table),
   ...);
}

}  // namespace aisp::tile::device
