// Rung 5: Blackwell. The same trees, fed from tensor memory: four warps take the sums of one tile
// through them while the next tile is multiplied, whatever the tree costs.
#include "chapters/ch10/epilogue_fusion/fused.cuh"
#include "lab/case/registry.hpp"
#include "tile/device/gemm/plan_sm100.cuh"

using namespace aisp;

namespace {

using namespace ch10;

template <class Variant>
struct FusedTcgen05
    : tile::Sm100Recipe<tile::Sm100Config{.out = Variant::out, .tile_n = 128},
                        typename Variant::template Tree<tile::Amax>, tile::Persistent> {};

template <class Variant>
lab::Run zero_and_run_tcgen05() {
  return zero_and_launch([](const EpilogueBuffers& buffers) {
    using Recipe = FusedTcgen05<Variant>;
    return tile::device::plan<Recipe>(product_of(buffers, Variant::out),
                                      Variant::template params<typename Recipe::Tree>(buffers));
  });
}

lab::Run prepare(lab::Setup& setup) {
  const std::string& variant = setup.problem().size.variant;
  if (variant == "plain") return zero_and_run_tcgen05<Plain>();
  if (variant == "silu") return zero_and_run_tcgen05<SiluOfSum>();
  return zero_and_run_tcgen05<QuantisedSilu>();
}

const lab::RungEntry entry{
    "ch10:epilogue_fusion",
    {.name = "tcgen05_tree",
     .step = 5,
     .builds_on = "one_launch",
     .idea = "the same tree out of tensor memory, under the products of the next tile",
     .look_at = "four warps store and none of them multiplies; two accumulators",
     .needs = lab::Needs::sm_100a,
     .prepare = prepare}};

}  // namespace
