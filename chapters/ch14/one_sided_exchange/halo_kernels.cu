#include "chapters/ch14/one_sided_exchange/halo_kernels.hpp"

#include <algorithm>

#include "comm/one_sided.cuh"
#include "lab/case/rung.hpp"

namespace aisp::ch14 {
namespace {

constexpr int step_threads = 256;
constexpr int rows_of_block = 8;  // where a kernel takes one step
// Of a band: half of the work is then left while the signals of the border rows travel.
constexpr int least_rows = 4;

__device__ __forceinline__ float* row_of(const Slab& slab, int parity, int row, int columns) {
  return slab.grid[parity] + static_cast<std::int64_t>(row + 1) * columns;
}

// Rows [first, last) of the slab at the block's columns. `put_to`: where the rows go besides.
__device__ __forceinline__ void update_rows(const HaloArguments& arguments, int step, int first,
                                            int last, int column, int column_step,
                                            float* put_to = nullptr) {
  const int columns = arguments.columns;
  if (first >= last) return;  // what lies behind the band's end may be being written
  for (; column < columns; column += column_step) {
    const float* from = row_of(arguments.own, (step - 1) % 2, first, columns) + column;
    float* to = row_of(arguments.own, step % 2, first, columns) + column;
    float above = from[-columns], here = from[0];
    for (int row = first; row < last; ++row, from += columns, to += columns) {
      const float below = from[columns];
      const float left = column > 0 ? from[-1] : 0.0f;
      const float right = column + 1 < columns ? from[1] : 0.0f;
      const float value = fmaf(0.5f, here, 0.125f * ((above + below) + (left + right)));
      *to = value;
      if (put_to != nullptr) put_to[column] = value;
      above = here;
      here = below;
    }
  }
}

// The rows that neighbours need, where there are neighbours, go straight into their slabs.
__device__ __forceinline__ float* halo_above(const HaloArguments& arguments, int step) {
  return arguments.above.rows == 0
             ? nullptr
             : row_of(arguments.above, step % 2, arguments.above.rows, arguments.columns);
}
__device__ __forceinline__ float* halo_below(const HaloArguments& arguments, int step) {
  return arguments.below.rows == 0 ? nullptr
                                   : row_of(arguments.below, step % 2, -1, arguments.columns);
}

__global__ void __launch_bounds__(step_threads)
    halo_step(const HaloArguments arguments, int step, bool puts) {
  const int rows = arguments.own.rows;
  const int first = static_cast<int>(blockIdx.y) * rows_of_block;
  const int last = min(first + rows_of_block, rows);
  const int column = static_cast<int>(blockIdx.x * step_threads + threadIdx.x);
  const int columns = arguments.columns;  // as step: one column for each thread
  update_rows(arguments, step, first, last, column, columns);
  if (!puts || column >= columns) return;
  float *const above = halo_above(arguments, step), *const below = halo_below(arguments, step);
  if (first == 0 && above != nullptr)
    above[column] = row_of(arguments.own, step % 2, 0, columns)[column];
  if (last == rows && below != nullptr)
    below[column] = row_of(arguments.own, step % 2, rows - 1, columns)[column];
}

// A block has a band of rows. In every step it computes the band's first and last row, puts those
// that another rank needs, signals, and computes the rest while the signals travel. It waits for
// its two neighbours' step before, be they blocks of this rank or of another: then their rows are
// there, and they have read what it is about to overwrite, because they signal behind their own
// border rows, which are all that reads a neighbour's.
__global__ void __launch_bounds__(halo_threads)
    halo_steps(const HaloArguments arguments, int steps) {
  const Slab& own = arguments.own;
  const int bands = static_cast<int>(gridDim.x), band = static_cast<int>(blockIdx.x);
  const auto begin_of = [&](int which) {
    return static_cast<int>(static_cast<std::int64_t>(own.rows) * which / bands);
  };
  const int first = begin_of(band), last = begin_of(band + 1);
  const bool at_top = band == 0, at_bottom = band == bands - 1;
  const int thread = static_cast<int>(threadIdx.x);
  for (int step = 1; step <= steps; ++step) {
    const auto before = static_cast<std::uint32_t>(step - 1);
    if (thread == 0 && !at_top)
      comm::wait_until_on_device(own.done + (band - 1) * flag_stride, before);
    if (thread == 0 && at_top && arguments.above.rows != 0)
      comm::wait_until(own.from_above, before);
    if (thread == 32 && !at_bottom)
      comm::wait_until_on_device(own.done + (band + 1) * flag_stride, before);
    if (thread == 32 && at_bottom && arguments.below.rows != 0)
      comm::wait_until(own.from_below, before);
    __syncthreads();
    float* const above = at_top ? halo_above(arguments, step) : nullptr;
    float* const below = at_bottom ? halo_below(arguments, step) : nullptr;
    update_rows(arguments, step, first, first + 1, thread, halo_threads, above);
    if (last - 1 != first || below != nullptr)
      update_rows(arguments, step, last - 1, last, thread, halo_threads, below);
    __syncthreads();
    const auto now = static_cast<std::uint32_t>(step);
    if (thread == 0) comm::signal_on_device(own.done + band * flag_stride, now);
    if (thread == 0 && above != nullptr) comm::signal(arguments.above.from_below, now);
    if (thread == 32 && below != nullptr) comm::signal(arguments.below.from_above, now);
    update_rows(arguments, step, first + 1, last - 1, thread, halo_threads);
  }
}

}  // namespace

void enqueue_step(const HaloArguments& arguments, int step, bool puts, cudaStream_t stream) {
  const dim3 blocks(
      static_cast<unsigned>((arguments.columns + step_threads - 1) / step_threads),
      static_cast<unsigned>((arguments.own.rows + rows_of_block - 1) / rows_of_block));
  halo_step<<<blocks, step_threads, 0, stream>>>(arguments, step, puts);
  lab::check_cuda(cudaGetLastError(), "halo_step");
}

void enqueue_steps(const HaloArguments& arguments, int steps, int blocks, cudaStream_t stream) {
  const int bands = std::clamp(arguments.own.rows / least_rows, 1, blocks);
  halo_steps<<<static_cast<unsigned>(bands), halo_threads, 0, stream>>>(arguments, steps);
  lab::check_cuda(cudaGetLastError(), "halo_steps");
}

const void* steps_kernel() { return reinterpret_cast<const void*>(halo_steps); }

}  // namespace aisp::ch14
