// The recipes of the Blackwell kernels, by their shape: how many rows and columns a block or a pair
// of blocks has, how deep its ring is, who hands out tiles. An instance names the shapes that its
// elements get.
#pragma once

#include "tile/device/gemm/recipe_table.hpp"
#include "tile/device/gemm/umma_plan.cuh"
#include "tile/instances/types.hpp"

namespace aisp::tile::device {

// Shapes (below) are written for 16-bit elements: a k-block keeps its bytes.
constexpr UmmaConfig shaped(Types types, UmmaConfig shape) {
  shape.a = types.a, shape.b = types.b, shape.out = types.out;
  shape.a_major = types.a_major, shape.b_major = types.b_major;
  shape.scaling = types.scaling, shape.out_scaling = types.out_scaling;
  shape.tile_k = shape.tile_k * 2 / bytes_of(types.b) * (shape.packs() ? 2 : 1);
  return shape;
}

namespace shape {
inline constexpr UmmaConfig umma_256x256_pair{
    .tile_m = 256, .tile_n = 256, .stages = 5, .cta_group = 2};
inline constexpr UmmaConfig umma_256x128_pair{
    .tile_m = 256, .tile_n = 128, .stages = 6, .cta_group = 2};
inline constexpr UmmaConfig umma_128x128{.tile_n = 128, .stages = 5};
inline constexpr UmmaConfig umma_128x64{.tile_n = 64, .stages = 6};
inline constexpr UmmaConfig umma_direct_128x128{.tile_n = 128, .stages = 6, .store = Store::direct};
}  // namespace shape

// An output with block scales takes no C.
template <UmmaConfig config, class Schedule>
using UmmaGemm = UmmaRecipe<
    config,
    std::conditional_t<config.out_scaling == Scaling::none, ProductTree<config.out>, ScaledTree>,
    Schedule>;

// Two blocks share a tile, and each reads half of B: large products.
template <Types types>
struct Umma256x256Pair : UmmaGemm<shaped(types, shape::umma_256x256_pair), LaunchControl> {
  static constexpr const char* name = "umma_256x256_pair";
};
template <Types types>
struct Umma256x128Pair : UmmaGemm<shaped(types, shape::umma_256x128_pair), LaunchControl> {
  static constexpr const char* name = "umma_256x128_pair";
};

// One block for a tile, where pairs would leave multiprocessors idle.
template <Types types>
struct Umma128x128 : UmmaGemm<shaped(types, shape::umma_128x128), Persistent> {
  static constexpr const char* name = "umma_128x128";
};
template <Types types>
struct Umma128x64 : UmmaGemm<shaped(types, shape::umma_128x64), SingleTile> {
  static constexpr const char* name = "umma_128x64";
};

// Rows of D that are no multiple of 16 bytes: stored from registers.
template <Types types>
struct UmmaDirect128x128 : UmmaGemm<shaped(types, shape::umma_direct_128x128), Persistent> {
  static constexpr const char* name = "umma_direct_128x128";
};

template <class Named>
GemmRun plan_umma_named(const GemmProblem& problem, const LaunchChoice& choice, const Allocate&) {
  return umma_plan<Named>(problem, {}, choice);
}

template <class... Named>
void add_umma(RecipeTable& table) {
  (table.push_back({{.name = Named::name,
                     .config = Named::config.described(),
                     .schedule = Named::Schedule::kind,
                     .family = Family::blackwell,
                     .reads_c = reads_c<typename Named::Tree>,
                     .cta_group = Named::config.cta_group},
                    plan_umma_named<Named>}),
   ...);
}

}  // namespace aisp::tile::device
