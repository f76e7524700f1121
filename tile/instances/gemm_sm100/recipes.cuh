// The recipes of the Blackwell kernels, by their shape: how many rows and columns a block or a pair
// of blocks has, how deep its ring is, who hands out tiles. An instance names the shapes that its
// elements get.
#pragma once

#include "tile/device/gemm/plan_sm100.cuh"
#include "tile/instances/add_recipes.cuh"
#include "tile/instances/types.hpp"

namespace aisp::tile::device {

namespace shape {
inline constexpr Sm100Config tcgen05_256x256_pair{
    .tile_m = 256, .tile_n = 256, .stages = 5, .cta_group = 2};
inline constexpr Sm100Config tcgen05_256x128_pair{
    .tile_m = 256, .tile_n = 128, .stages = 6, .cta_group = 2};
inline constexpr Sm100Config tcgen05_128x128{.tile_n = 128, .stages = 5};
inline constexpr Sm100Config tcgen05_128x64{.tile_n = 64, .stages = 6};
inline constexpr Sm100Config tcgen05_direct_128x128{
    .tile_n = 128, .stages = 6, .store = Store::direct};
}  // namespace shape

template <Sm100Config config, Epilogue epilogue, class Schedule>
using Tcgen05Product =
    Sm100Recipe<config, TreeOf<epilogue, config.out, config.out_scaling>, Schedule>;

// Two blocks share a tile, and each reads half of B: large products.
template <Types types, Epilogue epilogue = Epilogue::linear>
struct Tcgen05Tile256x256Pair
    : Tcgen05Product<shaped(types, shape::tcgen05_256x256_pair), epilogue, LaunchControl> {
  static constexpr const char* name = "tcgen05_256x256_pair";
};
template <Types types, Epilogue epilogue = Epilogue::linear>
struct Tcgen05Tile256x128Pair
    : Tcgen05Product<shaped(types, shape::tcgen05_256x128_pair), epilogue, LaunchControl> {
  static constexpr const char* name = "tcgen05_256x128_pair";
};

// One block for a tile, where pairs would leave multiprocessors idle.
template <Types types, Epilogue epilogue = Epilogue::linear>
struct Tcgen05Tile128x128
    : Tcgen05Product<shaped(types, shape::tcgen05_128x128), epilogue, Persistent> {
  static constexpr const char* name = "tcgen05_128x128";
};
template <Types types, Epilogue epilogue = Epilogue::linear>
struct Tcgen05Tile128x64
    : Tcgen05Product<shaped(types, shape::tcgen05_128x64), epilogue, SingleTile> {
  static constexpr const char* name = "tcgen05_128x64";
};

// Rows of D that are no multiple of 16 bytes: stored from registers.
template <Types types, Epilogue epilogue = Epilogue::linear>
struct Tcgen05Direct128x128
    : Tcgen05Product<shaped(types, shape::tcgen05_direct_128x128), epilogue, Persistent> {
  static constexpr const char* name = "tcgen05_direct_128x128";
};

}  // namespace aisp::tile::device
