// From a problem to a launch of one recipe: tensor maps, schedule, grid, workspace. A plan is made
// once and run often; running it only launches.
#pragma once

#include "tile/device/admit.hpp"
#include "tile/device/launch.cuh"
#include "tile/device/launch_choice.hpp"
#include "tile/schedule/persistent.hpp"
#include "tile/schedule/single.hpp"
#include "tile/schedule/split_k.hpp"
#include "tile/schedule/stream_k.hpp"

namespace tile::device {

template <class Schedule>
typename Schedule::Params schedule_params(const TileSpace& tiles, const LaunchChoice& choice) {
  if constexpr (std::is_base_of_v<SplitK, Schedule>)
    return {.tiles = tiles, .splits = choice.splits};
  else if constexpr (std::is_same_v<Schedule, StreamK>)
    return {.tiles = tiles};
  else
    return tiles;
}

// An operand in memory as the copy engine sees it. `rows` are along m or n.
inline MatrixInMemory in_memory(const Matrix& matrix, std::int64_t rows, std::int64_t columns,
                                std::int64_t batch) {
  const bool along_columns = matrix.major == Major::k;
  return {matrix.data,
          along_columns ? columns : rows,
          along_columns ? rows : columns,
          batch,
          matrix.stride,
          matrix.batch_stride};
}

template <GemmConfig config>
BatchMaps operand_maps(const GemmProblem& p) {
  constexpr OperandTile a = config.a_tile(), b = config.b_tile();
  return {describe(in_memory(p.a, p.m, p.k, p.batch), a, a.lines() / config.cluster_n),
          describe(in_memory(p.b, p.n, p.k, p.batch), b, b.lines() / config.cluster_m)};
}

// One map for each width that the epilogue's pieces have.
template <GemmConfig config>
void describe_output(CUtensorMap (&maps)[4], const MatrixInMemory& out) {
  for (int first = 0; first < config.tile_n; first += config.piece(first).k) {
    const OperandTile piece = config.piece(first);
    maps[map_number(config, piece)] = describe(out, piece, piece.lines());
  }
}

template <GemmConfig config>
BatchOutput output_of(const GemmProblem& p) {
  BatchOutput out{};
  if (config.store == Store::tma)
    describe_output<config>(out.maps, in_memory(p.d, p.m, p.n, p.batch));
  out.data = const_cast<void*>(p.d.data);
  out.stride = p.d.stride;
  out.batch_stride = p.d.batch_stride;
  out.extent = {static_cast<int>(p.m), static_cast<int>(p.n)};
  return out;
}

template <GemmConfig config>
TileSpace tiles_of(const GemmProblem& p, const Raster& raster) {
  const auto count = [](std::int64_t extent, int tile) {
    return static_cast<int>((extent + tile - 1) / tile);
  };
  return {.grid = {count(p.m, config.tile_m * config.cluster_m),
                   count(p.n, config.tile_n * config.cluster_n)},
          .batch = static_cast<int>(p.batch),
          .k_tiles = count(p.k, config.tile_k),
          .raster = raster};
}

// Sums of shared tiles, behind the flags that say they are there; flags begin as 0.
template <GemmConfig config>
ShareWorkspace share_workspace(int slots, const Allocate& allocate) {
  if (slots == 0) return {};
  const std::size_t flag_bytes =
      (static_cast<std::size_t>(slots) * ShareSlots<config>::parts * 4 + 255) / 256 * 256;
  const std::size_t sum_bytes = static_cast<std::size_t>(slots) * ShareSlots<config>::bytes;
  char* memory = static_cast<char*>(allocate(flag_bytes + sum_bytes));
  check_cuda(cudaMemset(memory, 0, flag_bytes), "flags of shared tiles");
  return {memory + flag_bytes, reinterpret_cast<std::uint32_t*>(memory)};
}

// The schedule for as many workers as the device holds, and memory for sums that they share.
template <class Recipe>
GemmRun fitted_to_device(GemmParams<Recipe> params, const Allocate& allocate) {
  using Schedule = typename Recipe::Schedule;
  const int fit = resident_workers<Recipe>();
  if constexpr (requires { Schedule::fitted(params.schedule, fit); })
    params.schedule = Schedule::fitted(params.schedule, fit);
  const int workers = Schedule::workers(params.schedule, fit);
  params.workspace =
      share_workspace<Recipe::config>(Schedule::slots(params.schedule, workers), allocate);
  return [params, workers](cudaStream_t stream) { launch<Recipe>(params, workers, stream); };
}

// Refuses a problem that the recipe does not take.
template <class Recipe>
GemmRun plan(const GemmProblem& problem, const typename Recipe::Tree::Params& tree,
             const LaunchChoice& choice, const Allocate& allocate) {
  constexpr GemmConfig config = Recipe::config;
  using Schedule = typename Recipe::Schedule;
  admit(problem);
  if (const std::string why = recipe_refuses(config, problem); !why.empty())
    base::refuse(base::Exit::usage, "gemm: ", why);
  GemmParams<Recipe> params{
      .operands = operand_maps<config>(problem),
      .epilogue = {.tree = tree, .out = output_of<config>(problem)},
      .schedule = schedule_params<Schedule>(tiles_of<config>(problem, choice.raster), choice)};
  return fitted_to_device(params, allocate);
}

}  // namespace tile::device
