// Blackwell, grouped products: one kernel for each type.
#include "tile/device/gemm/umma_grouped.cuh"
#include "tile/instances/gemm_sm100/grouped.hpp"
#include "tile/instances/gemm_sm100/recipes.cuh"

namespace aisp::tile::device {
namespace {

// Groups may have few rows: one block for a tile wastes the fewest.
template <Types types>
struct Umma128x128Grouped
    : UmmaGroupedRecipe<shaped(types, shape::umma_128x128), Linear<types.out>> {};

}  // namespace

GemmRun plan_grouped_sm100(std::span<const GemmProblem> problems, const Raster& raster,
                           const Allocate& allocate) {
  switch (problems[0].a.element) {
    case Element::bf16:
      return plan_umma_grouped<Umma128x128Grouped<types::bf16>>(problems, {}, raster, allocate);
    case Element::f16:
      return plan_umma_grouped<Umma128x128Grouped<types::f16>>(problems, {}, raster, allocate);
    default:
      return plan_umma_grouped<Umma128x128Grouped<types::e4m3_to_bf16>>(problems, {}, raster,
                                                                        allocate);
  }
}

}  // namespace aisp::tile::device
