// Every shape of tcgen05.ld, st and cp: which register or byte reaches which cell of tensor memory,
// as the atoms say. Prints "ok" and returns 0 when every cell is right.
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "tests/tile/kernels/gemm_on_host.hpp"
#include "tile/arch/tcgen05_cp.cuh"
#include "tile/arch/tcgen05_transfer.cuh"
#include "tile/arch/tma.cuh"
#include "tile/arch/warp.cuh"
#include "tile/atom/tcgen05.hpp"
#include "tile/atom/tmem_copy.hpp"

using namespace aisp;

namespace {

using gemm_test::require;
using tile::SharedToTmem;
using tile::TmemCopy;
using tile::arch::TmemCopyShape;
using tile::arch::TmemShape;
namespace arch = tile::arch;

constexpr int lanes = 128, columns = 256;
constexpr std::uint32_t untouched = 0xabcdef01;

struct Columns {  // of one block, by its first warp
  arch::TmemAddress address;

  TILE_DEVICE Columns() {
    __shared__ arch::TmemAddress allocated;
    if (threadIdx.x < 32) {
      arch::tmem_alloc<1>(&allocated, columns);
      arch::tmem_relinquish<1>();
    }
    __syncthreads();
    address = allocated;
  }
  TILE_DEVICE void free() const {
    __syncthreads();
    if (threadIdx.x < 32) arch::tmem_dealloc<1>(address, columns);
  }
  TILE_DEVICE arch::TmemAddress of_warp(int column) const {
    return arch::tmem_at(address, static_cast<int>(threadIdx.x) / 32 * 32, column);
  }
  TILE_DEVICE void fill(bool numbered) const {
    for (int column = 0; column < columns; ++column) {
      const std::uint32_t value[] = {numbered ? threadIdx.x * columns + column : untouched};
      arch::tmem_store<TmemShape::l32x32b>(of_warp(column), value);
    }
    arch::tmem_wait_stores();
  }
  TILE_DEVICE void read(std::uint32_t* to) const {
    for (int column = 0; column < columns; ++column) {
      std::uint32_t value[1];
      arch::tmem_load<TmemShape::l32x32b>(value, of_warp(column));
      arch::tmem_wait_loads(value);
      to[threadIdx.x * columns + column] = value[0];
    }
  }
};

constexpr int gap = 40;  // of l16x32bx2, with columns between that nobody touches

// Thread t's register i to loaded[t * registers + i], and registers to the cells of `cells`.
template <TmemShape shape, int repeats>
__global__ void transfer(int first_lane, std::uint32_t* loaded, std::uint32_t* cells) {
  using Copy = TmemCopy<shape, repeats>;
  const Columns all;
  all.fill(true);
  const arch::TmemAddress at = arch::tmem_at(all.of_warp(0), first_lane, 0);
  std::uint32_t values[Copy::registers];
  arch::tmem_load<shape, gap>(values, at);
  arch::tmem_wait_loads(values);
  for (int i = 0; i < Copy::registers; ++i) {
    loaded[threadIdx.x * Copy::registers + i] = values[i];
    values[i] = threadIdx.x * 128 + i;
  }
  all.fill(false);
  arch::tmem_store<shape, gap>(at, values);
  arch::tmem_wait_stores();
  all.read(cells);
  all.free();
}

// Rows of 16-byte cores without swizzle, as tcgen05.cp reads them.
template <TmemCopyShape shape>
__global__ void copy(const std::uint32_t* rows, std::uint32_t* cells) {
  constexpr auto map = SharedToTmem::of(shape);
  constexpr int core_columns = 4, rows_bytes = 128 * 16;
  alignas(128) __shared__ std::uint32_t memory[2 * rows_bytes / 4];
  __shared__ arch::MBarrier done;
  for (int i = static_cast<int>(threadIdx.x); i < map.rows * map.columns(); i += blockDim.x) {
    const int row = i / map.columns(), column = i % map.columns();
    memory[column / core_columns * rows_bytes / 4 + row * core_columns + column % core_columns] =
        rows[i];
  }
  arch::fence_async_shared();
  if (threadIdx.x == 0) {
    arch::mbarrier_init(&done, 1);
    arch::fence_mbarrier_init();
  }
  const Columns all;
  all.fill(false);
  arch::tcgen05_fence_before_sync();
  __syncthreads();
  arch::tcgen05_fence_after_sync();
  if (threadIdx.x == 0) {
    arch::tmem_copy<shape, 1>(
        all.address, tile::tcgen05_matrix_descriptor(arch::shared_address(memory), rows_bytes,
                                                     8 * 16, tile::Tcgen05Swizzle::none));
    arch::tcgen05_commit<1>(&done);
  }
  __syncwarp();
  arch::mbarrier_wait(&done, 0);
  arch::tcgen05_fence_after_sync();
  all.read(cells);
  all.free();
}

class Words {
 public:
  explicit Words(std::size_t count) : host(count) {
    require(cudaMalloc(&device, count * 4), "cudaMalloc");
  }
  ~Words() { cudaFree(device); }
  Words(const Words&) = delete;
  void upload() {
    require(cudaMemcpy(device, host.data(), host.size() * 4, cudaMemcpyDefault), "upload");
  }
  void download() {
    require(cudaMemcpy(host.data(), device, host.size() * 4, cudaMemcpyDefault), "download");
  }
  std::vector<std::uint32_t> host;
  std::uint32_t* device = nullptr;
};

void expect(const char* what, int lane, int column, std::uint32_t got, std::uint32_t want) {
  if (got == want) return;
  std::fprintf(stderr, "%s: lane %d, column %d is %u, not %u\n", what, lane, column, got, want);
  std::exit(1);
}
void expect_cells(const char* what, const std::vector<std::uint32_t>& got,
                  const std::vector<std::uint32_t>& want) {
  for (int i = 0; i < lanes * columns; ++i)
    expect(what, i / columns, i % columns, got[static_cast<std::size_t>(i)],
           want[static_cast<std::size_t>(i)]);
}

template <TmemShape shape, int repeats>
void run_transfer(const char* what, int first_lane = 0) {
  using Copy = TmemCopy<shape, repeats>;
  Words loaded(128 * Copy::registers), cells(lanes * columns);
  transfer<shape, repeats><<<1, 128>>>(first_lane, loaded.device, cells.device);
  require(cudaDeviceSynchronize(), what);
  loaded.download();
  cells.download();
  std::vector<std::uint32_t> want(lanes * columns, untouched);
  for (int thread = 0; thread < 128; ++thread)
    for (int i = 0; i < Copy::registers; ++i) {
      const tile::Cell cell = Copy::cell(thread % 32, i);
      const int lane = thread / 32 * 32 + first_lane + cell.row;
      const bool further = shape == TmemShape::l16x32bx2 && thread % 32 >= 16;
      const auto at = static_cast<std::size_t>(lane * columns + cell.column + (further ? gap : 0));
      expect(what, lane, cell.column,
             loaded.host[static_cast<std::size_t>(thread * Copy::registers + i)],
             static_cast<std::uint32_t>(at));
      want[at] = static_cast<std::uint32_t>(thread * 128 + i);
    }
  expect_cells(what, cells.host, want);
}

template <TmemCopyShape shape>
void run_copy(const char* what) {
  constexpr auto map = SharedToTmem::of(shape);
  Words rows(map.rows * map.columns()), cells(lanes * columns);
  for (std::size_t i = 0; i < rows.host.size(); ++i)
    rows.host[i] = static_cast<std::uint32_t>(i + 1);
  rows.upload();
  copy<shape><<<1, 128>>>(rows.device, cells.device);
  require(cudaDeviceSynchronize(), what);
  cells.download();
  std::vector<std::uint32_t> want(lanes * columns, untouched);
  for (int row = 0; row < map.rows; ++row)
    for (int copy = 0; copy < map.copies; ++copy)
      for (int column = 0; column < map.columns(); ++column)
        want[static_cast<std::size_t>(map.lane(row, copy) * columns + column)] =
            static_cast<std::uint32_t>(row * map.columns() + column + 1);
  expect_cells(what, cells.host, want);
}

}  // namespace

int main() {
  run_transfer<TmemShape::l32x32b, 1>("32x32b.x1");
  run_transfer<TmemShape::l32x32b, 128>("32x32b.x128");
  run_transfer<TmemShape::l16x64b, 8>("16x64b.x8");
  run_transfer<TmemShape::l16x64b, 2>("16x64b.x2, lanes 16 on", 16);
  run_transfer<TmemShape::l16x128b, 16>("16x128b.x16");
  run_transfer<TmemShape::l16x256b, 1>("16x256b.x1", 16);
  run_transfer<TmemShape::l16x256b, 16>("16x256b.x16");
  run_transfer<TmemShape::l16x32bx2, 32>("16x32bx2.x32");
  run_copy<TmemCopyShape::l128x256b>("128x256b");
  run_copy<TmemCopyShape::l128x128b>("128x128b");
  run_copy<TmemCopyShape::l4x256b>("4x256b");
  run_copy<TmemCopyShape::l64x128b_02_13>("64x128b.warpx2::02_13");
  run_copy<TmemCopyShape::l64x128b_01_23>("64x128b.warpx2::01_23");
  run_copy<TmemCopyShape::l32x128b>("32x128b.warpx4");
  std::puts("ok");
}
