// The copy of every rung: one thread of a block asks TMA for boxes into a ring in shared memory,
// and asks for the way out of each when it has landed. Nothing else happens, so that what a box
// costs is all there is. The configuration comes as arguments; only rank and mode are compiled in.
#include <algorithm>

#include "chapters/ch14/tma_configs/box.cuh"
#include "chapters/ch14/tma_configs/copy.hpp"
#include "chapters/ch14/tma_configs/maps.hpp"
#include "lab/case/per_buffers.hpp"
#include "tile/arch/limits.hpp"

namespace aisp::ch14 {

inline constexpr int most_lag = 3;
inline constexpr int most_shared_bytes = tile::arch::limits_of(90).shared_per_block;

struct CopyParams {
  CopyMaps maps;
  int step[most_rank];  // what a block passes over to its next box, counted as the boxes are
  int count;            // of boxes
  int stages, slot_bytes, box_bytes;
  int lag;  // stores that may still read their slots while the next box is waited for
};

// Where a block is among the boxes: number `first`, then every gridDim-th.
template <int rank>
class BoxCursor {
 public:
  TILE_DEVICE BoxCursor(const CopyParams& params, int first) : params_(params) {
#pragma unroll
    for (int i = 0; i < rank; ++i) {
      at_[i] = first % params.maps.grid.boxes[i];
      first /= params.maps.grid.boxes[i];
    }
  }
  TILE_DEVICE BoxPlace<rank> place() const {
    BoxPlace<rank> place;
#pragma unroll
    for (int i = 0; i < rank; ++i) place.at[i] = at_[i] * params_.maps.grid.box[i];
    return place;
  }
  // Addition with carry: no division for each box.
  TILE_DEVICE void advance() {
    int carry = 0;
#pragma unroll
    for (int i = 0; i < rank; ++i) {
      at_[i] += params_.step[i] + carry;
      carry = at_[i] >= params_.maps.grid.boxes[i] ? 1 : 0;
      if (carry) at_[i] -= params_.maps.grid.boxes[i];
    }
  }

 private:
  const CopyParams& params_;
  int at_[rank];
};

// A line of the matrix of pixels as the walk counts it.
template <int rank>
TILE_DEVICE BoxPlace<rank> pixel_place(const CopyParams& params, BoxPlace<2> place) {
  BoxPlace<rank> walk;
  walk.at[0] = place.at[0];
  int pixel = place.at[1];
#pragma unroll
  for (int i = 0; i < rank - 2; ++i) {
    walk.at[i + 1] = pixel % params.maps.pixels[i] - 1;
    pixel /= params.maps.pixels[i];
  }
  walk.at[rank - 1] = pixel;
  return walk;
}

// The number is part of the instruction.
TILE_DEVICE void wait_read(int pending) {
  switch (pending) {
    case 0:
      return arch::bulk_wait_read<0>();
    case 1:
      return arch::bulk_wait_read<1>();
    case 2:
      return arch::bulk_wait_read<2>();
    default:
      return arch::bulk_wait_read<most_lag>();
  }
}

template <int rank, BoxMode mode>
__global__ void __launch_bounds__(32) tma_copy(const __grid_constant__ CopyParams params) {
  constexpr int store_rank = mode == BoxMode::im2col ? 2 : rank;
  extern __shared__ __align__(1024) std::uint8_t smem[];
  auto* landed = reinterpret_cast<arch::MBarrier*>(smem + params.stages * params.slot_bytes);
  if (threadIdx.x != 0) return;
  for (int slot = 0; slot < params.stages; ++slot) arch::mbarrier_init(&landed[slot], 1);
  arch::fence_mbarrier_init();

  BoxCursor<store_rank> in(params, static_cast<int>(blockIdx.x)), out = in;
  const int step = static_cast<int>(gridDim.x);
  const int mine = (params.count - static_cast<int>(blockIdx.x) + step - 1) / step;
  const auto fill = [&](int slot) {
    void* to = smem + slot * params.slot_bytes;
    arch::mbarrier_arrive_expect(&landed[slot], params.box_bytes);
    if constexpr (mode == BoxMode::im2col)
      load_pixels(to, &params.maps.from, &landed[slot], pixel_place<rank>(params, in.place()));
    else
      load_box(to, &params.maps.from, &landed[slot], in.place());
    in.advance();
  };
  int filled = 0;
  for (; filled < min(params.stages, mine); ++filled) fill(filled);

  int slot = 0, oldest = 0;  // oldest: the slot whose store was asked for `lag` boxes ago
  unsigned lap = 0;
  for (int i = 0; i < mine; ++i) {
    arch::mbarrier_wait(&landed[slot], lap);
    store_box(&params.maps.to, smem + slot * params.slot_bytes, out.place());
    arch::bulk_commit();
    out.advance();
    if (++slot == params.stages) {
      slot = 0;
      lap ^= 1;
    }
    if (i < params.lag || filled == mine) continue;
    wait_read(params.lag);
    fill(oldest);
    ++filled;
    if (++oldest == params.stages) oldest = 0;
  }
  arch::bulk_wait<0>();  // shared memory must outlive the copies
}

namespace {

using Entry = void (*)(CopyParams);

Entry entry_of(BoxMode mode, int rank) {
  using enum BoxMode;
  static constexpr Entry tiles[] = {tma_copy<1, tile>, tma_copy<2, tile>, tma_copy<3, tile>,
                                    tma_copy<4, tile>, tma_copy<5, tile>};
  static constexpr Entry pixels[] = {tma_copy<3, im2col>, tma_copy<4, im2col>, tma_copy<5, im2col>};
  return mode == im2col ? pixels[rank - 3] : tiles[rank - 1];
}

// A quarter of the ring is on its way out, the others on their way in.
int lag_of(int stages) { return stages == 1 ? 0 : std::clamp(stages / 4, 1, most_lag); }

CopyParams params_of(const CopyConfig& config, const CopyMaps& maps, int grid) {
  CopyParams params{.maps = maps,
                    .step = {},
                    .count = static_cast<int>(maps.grid.count()),
                    .stages = config.stages,
                    .slot_bytes = config.slot_bytes(),
                    .box_bytes = config.box_bytes(),
                    .lag = lag_of(config.stages)};
  for (int i = 0; i < maps.grid.rank; ++i) {
    params.step[i] = grid % maps.grid.boxes[i];
    grid /= maps.grid.boxes[i];
  }
  return params;
}

}  // namespace

lab::Run run_copy(lab::Setup& setup, const CopyConfig& config) {
  const Entry entry = entry_of(config.mode, config.rank);
  const auto bytes = static_cast<std::size_t>(config.ring_bytes()) +
                     sizeof(arch::MBarrier) * static_cast<std::size_t>(config.stages);
  // All there is: rungs share the kernel, and the last one to be prepared must not take from
  // others.
  lab::check_cuda(
      cudaFuncSetAttribute(entry, cudaFuncAttributeMaxDynamicSharedMemorySize, most_shared_bytes),
      "tma_configs: shared memory");
  const std::int64_t most = std::int64_t{config.blocks} * setup.multiprocessors();
  return lab::per_buffers([=, shape = shape_of(setup.problem().size)](const lab::Launch& launch) {
    const CopyMaps maps =
        copy_maps(config, shape, launch.in<std::int32_t>(0), launch.out<std::int32_t>(0));
    const auto grid = static_cast<int>(std::min(most, maps.grid.count()));
    const CopyParams params = params_of(config, maps, grid);
    return [=](cudaStream_t stream) {
      entry<<<static_cast<unsigned>(grid), 32, bytes, stream>>>(params);
      lab::check_cuda(cudaGetLastError(), "tma_configs");
    };
  });
}

}  // namespace aisp::ch14
