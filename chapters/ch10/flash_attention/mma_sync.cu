// Rung 0: the fused kernel of Ampere. Four warps with 32 queries each; all threads copy keys and
// values by cp.async, one block of 64 keys ahead, warps read fragments by ldmatrix and multiply
// with mma.sync. Scores stay in registers, where they become weights and operand A of the second
// product.
#include "chapters/ch10/flash_attention/mma_sync.hpp"

#include "chapters/ch10/common/attention_args.hpp"
#include "chapters/ch10/common/attention_rows.cuh"
#include "lab/case/registry.hpp"
#include "tile/arch/cp_async.cuh"
#include "tile/arch/ldmatrix.cuh"
#include "tile/arch/mma.cuh"
#include "tile/atom/ldmatrix.hpp"

using namespace aisp;

namespace {

using namespace ch10;

constexpr int threads = 128, block_m = 128, block_n = 64;
constexpr int halves = 2;  // of a warp's 32 queries, 16 for one instruction: both use a fragment

template <int size>
struct Shared {
  alignas(1024) char q[block_m * size * 2];
  alignas(1024) char k[2][block_n * size * 2];
  alignas(1024) char v[2][block_n * size * 2];
};

// Fragments of 16 lines and 16 columns by ldmatrix. Which of them only adds to the address, or
// flips bits of it: what depends on the lane is worked out once.
class Fragments {
 public:
  TILE_DEVICE explicit Fragments(tile::Cell of_lane)
      : of_lane_(of_lane.row * 128 + (of_lane.column ^ of_lane.row % 8) * 16) {}

  // `lines` is the number of lines of the tile, `start` its place in shared memory.
  template <int lines>
  TILE_DEVICE std::uint32_t at(std::uint32_t start, int line, int column) const {
    return ((start + of_lane_) ^ (column % 64 * 2)) + line * 128 + column / 64 * (lines * 128);
  }

 private:
  std::uint32_t of_lane_;
};

template <int size>
class Attention {
  static constexpr auto q_tile = rows_tile(block_m, size);
  static constexpr auto kv_tile = rows_tile(block_n, size);
  using Scores = float[halves][block_n / 2];
  using Outputs = float[halves][size / 2];

 public:
  TILE_DEVICE Attention(Shared<size>& shared, const AttentionArgs& args)
      : shared_(shared),
        args_(args),
        row_(static_cast<int>(threadIdx.x) / 32 * 32),
        first_query_(static_cast<int>(blockIdx.x) * block_m),
        by_row_(tile::LdMatrixX4::k_major(static_cast<int>(threadIdx.x) % 32)),
        by_column_(tile::LdMatrixX4::mn_major(static_cast<int>(threadIdx.x) % 32)),
        softmax_{OnlineSoftmax<false>(args.scale), OnlineSoftmax<false>(args.scale)} {}

  TILE_DEVICE void attend() {
    copy_rows<q_tile, threads>(shared_.q,
                               head_of(args_.q, static_cast<int>(blockIdx.y), args_.rows, size),
                               first_query_, args_.rows);
    copy_block(0);
    const int blocks = (args_.keys_before(first_query_ + block_m) + block_n - 1) / block_n;
    Outputs o = {};
    for (int block = 0; block < blocks; ++block) {
      arch::cp_async_wait<0>();
      __syncthreads();  // this block has landed, and nobody reads the other slot any more
      if (block + 1 < blocks) copy_block(block + 1);
      // Under a causal mask the first warps' queries see nothing of the last keys.
      if (block * block_n <= args_.last_key(first_query_ + row_ + 31)) add_keys(o, block);
    }
    store(o);
  }

 private:
  TILE_DEVICE void copy_block(int block) {
    const int head = static_cast<int>(blockIdx.y) / args_.sharing, key = block * block_n;
    const int rows = args_.rows;
    copy_rows<kv_tile, threads>(shared_.k[block % 2], head_of(args_.k, head, rows, size), key,
                                rows);
    copy_rows<kv_tile, threads>(shared_.v[block % 2], head_of(args_.v, head, rows, size), key,
                                rows);
    arch::cp_async_commit();
  }

  TILE_DEVICE void add_keys(Outputs& o, int block) {
    Scores scores = {};
    multiply_keys(scores, arch::shared_address(shared_.k[block % 2]));
#pragma unroll
    for (int half = 0; half < halves; ++half) {
      const int query = first_query_ + row_ + half * 16;
      const int row = query + static_cast<int>(threadIdx.x) % 32 / 4;
      if ((block + 1) * block_n - 1 > args_.last_key(query))
        hide_keys(scores[half], block * block_n, args_.last_key(row), args_.last_key(row + 8));
      float shrunk[2];
      softmax_[half].weigh(scores[half], shrunk);
      shrink_rows(o[half], shrunk);
    }
    multiply_values(o, scores, arch::shared_address(shared_.v[block % 2]));
  }

  // scores = Q K' of the warp's 32 queries.
  TILE_DEVICE void multiply_keys(Scores& scores, std::uint32_t k) {
    const std::uint32_t q = arch::shared_address(shared_.q);
#pragma unroll
    for (int e = 0; e < size; e += 16) {
      std::uint32_t a[halves][4];
#pragma unroll
      for (int half = 0; half < halves; ++half)
        arch::ldmatrix_x4(a[half], by_row_.at<block_m>(q, row_ + half * 16, e));
#pragma unroll
      for (int key = 0; key < block_n; key += 16) {
        std::uint32_t b[4];
        arch::ldmatrix_x4(b, by_row_.at<block_n>(k, key, e));
        multiply(scores, a, b, key);
      }
    }
  }

  // o += P V.
  TILE_DEVICE void multiply_values(Outputs& o, const Scores& weights, std::uint32_t v) {
#pragma unroll
    for (int key = 0; key < block_n; key += 16) {
      std::uint32_t a[halves][4];
#pragma unroll
      for (int half = 0; half < halves; ++half) as_operand_a(a[half], weights[half], key / 16);
#pragma unroll
      for (int e = 0; e < size; e += 16) {
        std::uint32_t b[4];
        arch::ldmatrix_x4_trans(b, by_column_.at<block_n>(v, key, e));
        multiply(o, a, b, e);
      }
    }
  }

  // 16 columns of both halves, from `column` on.
  template <class Accumulators>
  TILE_DEVICE static void multiply(Accumulators& accumulators, const std::uint32_t (&a)[halves][4],
                                   const std::uint32_t (&b)[4], int column) {
#pragma unroll
    for (int half = 0; half < halves; ++half)
#pragma unroll
      for (int side = 0; side < 2; ++side)
        arch::mma_16x8x16_bf16(
            reinterpret_cast<float(&)[4]>(accumulators[half][(column + side * 8) / 2]), a[half],
            {b[side], b[side + 2]});
  }

  // Through the place of the warp's queries, which nobody else reads.
  TILE_DEVICE void store(Outputs& o) {
    __syncwarp();
#pragma unroll
    for (int half = 0; half < halves; ++half) {
      float inverse[2];
      softmax_[half].finish(inverse);
      shrink_rows(o[half], inverse);
      stage_rows<q_tile>(shared_.q, o[half], row_ + half * 16);
    }
    __syncwarp();
    const int first = first_query_ + row_;
    const std::int64_t at = static_cast<std::int64_t>(blockIdx.y) * args_.rows + first;
    store_rows<q_tile, 32>(static_cast<char*>(args_.o) + at * size * 2, shared_.q, row_,
                           args_.rows - first);
  }

  Shared<size>& shared_;
  const AttentionArgs& args_;
  int row_, first_query_;  // the warp's first row in the block, the block's in the sequence
  Fragments by_row_, by_column_;
  OnlineSoftmax<false> softmax_[halves];
};

template <int size>
__global__ void __launch_bounds__(threads, 2)
    attention_mma_sync(const __grid_constant__ AttentionArgs args) {
  Attention<size>(aligned_shared<Shared<size>>(), args).attend();
}

template <int size>
lab::Run run() {
  constexpr int bytes = static_cast<int>(sizeof(Shared<size>)) + 1024;
  lab::check_cuda(cudaFuncSetAttribute(attention_mma_sync<size>,
                                       cudaFuncAttributeMaxDynamicSharedMemorySize, bytes),
                  "attention_mma_sync");
  return [](const lab::Launch& launch) {
    const AttentionArgs args = attention_args(launch);
    const dim3 grid(static_cast<unsigned>((args.rows + block_m - 1) / block_m),
                    static_cast<unsigned>(args.all_heads));
    attention_mma_sync<size><<<grid, threads, bytes, launch.stream>>>(args);
    lab::check_cuda(cudaGetLastError(), "attention_mma_sync");
  };
}

const lab::RungEntry entry{"ch10:flash_attention",
                           {.name = "mma_sync",
                            .step = 0,
                            .builds_on = "",
                            .idea = "fused softmax, mma.sync on keys that cp.async brought",
                            .look_at = "fragments of keys and values cross shared memory once per "
                                       "warp; issue slots, not the matrix unit, are busy",
                            .prepare = ch10::run_attention_mma_sync}};

}  // namespace

namespace aisp::ch10 {

lab::Run run_attention_mma_sync(lab::Setup& setup) {
  return head_size(setup.problem()) == 64 ? run<64>() : run<128>();
}

}  // namespace aisp::ch10
