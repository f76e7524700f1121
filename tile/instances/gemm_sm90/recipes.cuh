// The recipes of the Hopper kernels, by their shape: how many rows and columns a block has, how
// deep its ring is, who multiplies. An instance names the shapes that its elements get.
#pragma once

#include "tile/collective/mainloop/register_operand.cuh"
#include "tile/device/gemm/plan_sm90.cuh"
#include "tile/instances/add_recipes.cuh"
#include "tile/instances/types.hpp"

namespace aisp::tile::device {

// A block's tile, its ring and who multiplies; `pair`: two blocks side by side share a tile of B.
namespace shape {
inline constexpr Sm90Config cooperative_128x256{.tile_n = 256, .stages = 4};
inline constexpr Sm90Config cooperative_128x256_pair{.tile_n = 256, .stages = 4, .cluster_m = 2};
inline constexpr Sm90Config ping_pong_128x128{
    .tile_n = 128, .stages = 6, .roles = Roles::ping_pong};
inline constexpr Sm90Config ping_pong_128x128_pair{
    .tile_n = 128, .stages = 6, .cluster_m = 2, .roles = Roles::ping_pong};
inline constexpr Sm90Config ping_pong_128x112{
    .tile_n = 112, .stages = 6, .roles = Roles::ping_pong};
inline constexpr Sm90Config ping_pong_128x160{
    .tile_n = 160, .stages = 5, .roles = Roles::ping_pong};
inline constexpr Sm90Config ping_pong_128x176_pair{
    .tile_n = 176, .stages = 5, .cluster_m = 2, .roles = Roles::ping_pong};
inline constexpr Sm90Config ping_pong_128x192_pair{
    .tile_n = 192, .stages = 4, .cluster_m = 2, .roles = Roles::ping_pong, .out_buffers = 3};
inline constexpr Sm90Config cooperative_128x64{.tile_n = 64, .stages = 8};
inline constexpr Sm90Config single_64x128{
    .tile_m = 64, .tile_n = 128, .stages = 8, .math_warpgroups = 1};
inline constexpr Sm90Config cooperative_128x128_pair{.tile_n = 128, .stages = 6, .cluster_m = 2};
inline constexpr Sm90Config few_rows_16{.out_major = Major::mn,
                                        .tile_m = 64,
                                        .tile_n = 16,
                                        .tile_k = 256,
                                        .stages = 5,
                                        .math_warpgroups = 1,
                                        .out_buffers = 1};
inline constexpr Sm90Config few_rows_128{.out_major = Major::mn,
                                         .tile_m = 64,
                                         .tile_n = 128,
                                         .stages = 8,
                                         .math_warpgroups = 1,
                                         .out_buffers = 1};
inline constexpr Sm90Config few_rows_80{.out_major = Major::mn,
                                        .tile_m = 64,
                                        .tile_n = 80,
                                        .stages = 10,
                                        .math_warpgroups = 1,
                                        .out_buffers = 1};
inline constexpr Sm90Config transposed_128x144{.out_major = Major::mn,
                                               .tile_n = 144,
                                               .stages = 5,
                                               .roles = Roles::ping_pong,
                                               .out_buffers = 1};
inline constexpr Sm90Config transposed_128x256{.out_major = Major::mn, .tile_n = 256, .stages = 4};
inline constexpr Sm90Config direct_128x128{.tile_n = 128, .stages = 6, .store = Store::direct};
}  // namespace shape

template <Sm90Config config, Epilogue epilogue, class Schedule>
using Product = Sm90Recipe<config, TreeOf<epilogue, config.out>, Schedule>;

// Large tiles: both warpgroups share one.
template <Types types, Epilogue epilogue = Epilogue::linear>
struct Cooperative128x256
    : Product<shaped(types, shape::cooperative_128x256), epilogue, Persistent> {
  static constexpr const char* name = "cooperative_128x256";
};
template <Types types, Epilogue epilogue = Epilogue::linear>
struct Cooperative128x256Pair
    : Product<shaped(types, shape::cooperative_128x256_pair), epilogue, Persistent> {
  static constexpr const char* name = "cooperative_128x256_pair";
};
template <Types types, Epilogue epilogue = Epilogue::linear>
struct StreamK128x256 : Product<shaped(types, shape::cooperative_128x256), epilogue, StreamK> {
  static constexpr const char* name = "stream_k_128x256";
};

// The warpgroups take turns: one stores while the other multiplies. Widths differ so that tiles
// fill the waves of a chip: 4096 x 4096 in 128 x 112 is 8.97 waves of 132.
template <Types types, Epilogue epilogue = Epilogue::linear>
struct PingPong128x128 : Product<shaped(types, shape::ping_pong_128x128), epilogue, Persistent> {
  static constexpr const char* name = "ping_pong_128x128";
};
template <Types types, Epilogue epilogue = Epilogue::linear>
struct PingPong128x128Pair
    : Product<shaped(types, shape::ping_pong_128x128_pair), epilogue, Persistent> {
  static constexpr const char* name = "ping_pong_128x128_pair";
};
template <Types types, Epilogue epilogue = Epilogue::linear>
struct PingPong128x112 : Product<shaped(types, shape::ping_pong_128x112), epilogue, Persistent> {
  static constexpr const char* name = "ping_pong_128x112";
};
template <Types types, Epilogue epilogue = Epilogue::linear>
struct PingPong128x160 : Product<shaped(types, shape::ping_pong_128x160), epilogue, Persistent> {
  static constexpr const char* name = "ping_pong_128x160";
};
template <Types types, Epilogue epilogue = Epilogue::scaled>
struct PingPong128x176Pair
    : Product<shaped(types, shape::ping_pong_128x176_pair), epilogue, Persistent> {
  static constexpr const char* name = "ping_pong_128x176_pair";
};
template <Types types, Epilogue epilogue = Epilogue::scaled>
struct PingPong128x192Pair
    : Product<shaped(types, shape::ping_pong_128x192_pair), epilogue, Persistent> {
  static constexpr const char* name = "ping_pong_128x192_pair";
};

// Small tiles, where large ones would leave multiprocessors idle.
template <Types types, Epilogue epilogue = Epilogue::linear>
struct Cooperative128x64 : Product<shaped(types, shape::cooperative_128x64), epilogue, Persistent> {
  static constexpr const char* name = "cooperative_128x64";
};
template <Types types, Epilogue epilogue = Epilogue::linear>
struct Single64x128 : Product<shaped(types, shape::single_64x128), epilogue, SingleTile> {
  static constexpr const char* name = "single_64x128";
};

// Few tiles with a long sum: several blocks split K, each stores some of its columns.
template <Types types, Epilogue epilogue = Epilogue::linear>
struct SplitK128x128Pair
    : Product<shaped(types, shape::cooperative_128x128_pair), epilogue, SplitKScatter> {
  static constexpr const char* name = "split_k_128x128_pair";
};
template <Types types, Epilogue epilogue = Epilogue::linear>
struct SplitK128x64 : Product<shaped(types, shape::cooperative_128x64), epilogue, SplitKScatter> {
  static constexpr const char* name = "split_k_128x64";
};

// Few rows: A and B are exchanged, so that the instruction's 64 rows run along n. The result is
// stored transposed, which is how it was asked for.
template <Types types, Epilogue epilogue = Epilogue::linear>
struct FewRows16 : Product<shaped(types, shape::few_rows_16), epilogue, SplitK> {
  static constexpr const char* name = "few_rows_16";
};
template <Types types, Epilogue epilogue = Epilogue::linear>
struct FewRows80 : Product<shaped(types, shape::few_rows_80), epilogue, SplitK> {
  static constexpr const char* name = "few_rows_80";
};
template <Types types, Epilogue epilogue = Epilogue::linear>
struct FewRows128 : Product<shaped(types, shape::few_rows_128), epilogue, SplitK> {
  static constexpr const char* name = "few_rows_128";
};

// Rows that fill tiles of 128 badly, such as 257: exchanged too, in turn and 144 rows at a time.
template <Types types, Epilogue epilogue = Epilogue::linear>
struct Transposed128x144 : Product<shaped(types, shape::transposed_128x144), epilogue, Persistent> {
  static constexpr const char* name = "transposed_128x144";
};

// A of 8 bits, widened on its way to the matrix unit; transposed: B has the 8 bits, as weights do,
// and the operands are exchanged.
template <Sm90Config config>
using MixedProduct =
    Sm90Recipe<config, ProductTree<config.out>, Persistent, RegisterOperand<config>>;
template <Types types>
struct Mixed128x256 : MixedProduct<shaped(types, shape::cooperative_128x256)> {
  static constexpr const char* name = "mixed_128x256";
};
template <Types types>
struct MixedTransposed128x256 : MixedProduct<shaped(types, shape::transposed_128x256)> {
  static constexpr const char* name = "mixed_transposed_128x256";
};

// Rows of D that are no multiple of 16 bytes: stored from registers.
template <Types types, Epilogue epilogue = Epilogue::linear>
struct Direct128x128 : Product<shaped(types, shape::direct_128x128), epilogue, Persistent> {
  static constexpr const char* name = "direct_128x128";
};

}  // namespace aisp::tile::device
