// Makes a rung of a configuration of the kernel without roles.
#pragma once

#include "chapters/ch10/flash_attention/one_role.cuh"
#include "lab/case/per_buffers.hpp"
#include "tile/arch/limits.hpp"
#include "tile/device/launch/tensor_map.hpp"

namespace aisp::ch10 {

// Boxes of `lines` rows and 64 columns; every head is a matrix of its own, so that rows past the
// end of a sequence are zeros and not the next head's.
inline CUtensorMap head_map(const void* data, int heads, int rows, int size, int lines) {
  return tile::device::describe(
      {data, size, rows, heads, size, static_cast<std::int64_t>(rows) * size},
      rows_tile(lines, size), lines);
}

inline void fill(CpAsyncParams& params, const AttentionArgs& args, int, int) { params = {args}; }
inline void fill(TmaParams& params, const AttentionArgs& args, int size, int block_n) {
  const int kv_heads = args.all_heads / args.sharing;
  params = {head_map(args.q, args.all_heads, args.rows, size, OneRoleConfig::block_m),
            head_map(args.k, kv_heads, args.rows, size, block_n),
            head_map(args.v, kv_heads, args.rows, size, block_n), args};
}

template <class Rung>
lab::Run run_one_role(lab::Setup&) {
  constexpr int bytes = static_cast<int>(sizeof(typename Rung::Shared)) + 1024;
  static_assert(bytes <= tile::arch::limits_of(90).shared_per_block,
                "a block of sm_90 has at most 227 KiB of shared memory");
  lab::check_cuda(cudaFuncSetAttribute(attention_one_role<Rung>,
                                       cudaFuncAttributeMaxDynamicSharedMemorySize, bytes),
                  "attention_one_role");
  return lab::per_buffers([](const lab::Launch& launch) -> lab::Enqueue {
    const AttentionArgs args = attention_args(launch);
    typename Rung::Params params;
    fill(params, args, Rung::config.head_size, Rung::config.block_n);
    const int tiles = (args.rows + OneRoleConfig::block_m - 1) / OneRoleConfig::block_m;
    const dim3 grid(static_cast<unsigned>(tiles), static_cast<unsigned>(args.all_heads));
    return [params, grid](cudaStream_t stream) {
      attention_one_role<Rung><<<grid, OneRoleConfig::threads, bytes, stream>>>(params);
      lab::check_cuda(cudaGetLastError(), "attention_one_role");
    };
  });
}

// What rungs 1 to 4 have in common: 96 accumulators of scores and outputs in a thread, so that two
// blocks share a multiprocessor and one may multiply while the other weighs.
constexpr OneRoleConfig ladder_config(int head_size) {
  return {.head_size = head_size,
          .block_n = head_size == 64 ? 128 : 64,
          .stages = 2,
          .blocks_per_sm = 2};
}

template <class Of64, class Of128>
lab::Run run_by_head_size(lab::Setup& setup) {
  return head_size(setup.problem()) == 64 ? run_one_role<Of64>(setup) : run_one_role<Of128>(setup);
}

}  // namespace aisp::ch10
