// From an attention problem with few queries to launches of the decode kernel: how many blocks read
// the keys, whether heads are cut between them, and the memory for what is then combined.
#pragma once

#include <limits>
#include <string>

#include "tile/device/attention/decode_params.hpp"
#include "tile/device/attention/instances.hpp"
#include "tile/device/launch/launch.cuh"
#include "tile/device/launch/plan_memory.hpp"
#include "tile/kernel/attention_decode.cuh"

namespace aisp::tile::device {

// Its blocks come while the last of the kernel ahead are still at work, and wait for them.
inline void launch_combine(const CombineParams& params, cudaStream_t stream) {
  const DecodeWork& work = params.problem.work;
  cudaLaunchAttribute early{};
  early.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  early.val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t launch{};
  launch.gridDim = {static_cast<unsigned>(work.batch * work.kv_heads),
                    static_cast<unsigned>(params.problem.rows), 1};
  constexpr int warps = 4;
  launch.blockDim = 32 * warps;
  launch.stream = stream;
  launch.attrs = &early;
  launch.numAttrs = 1;
  check_cuda(cudaLaunchKernelEx(&launch, attention_combine<warps>, params),
             "launch of attention_combine");
}

template <class Recipe>
Plan plan_decode_of(const AttentionProblem& problem, const Allocate& allocate) {
  constexpr DecodeConfig config = Recipe::config;
  DecodeParams params{};
  params.problem = decode_problem(problem);
  params.pages = decode_pages(problem);
  if (problem.kv_rows > 0) {
    params.k = decode_map(problem.k, problem, params.pages.box_rows);
    params.v = decode_map(problem.v, problem, params.pages.box_rows);
  }
  const Kernel<DecodeParams> kernel{attention_decode<Recipe>, config.threads(),
                                    decode_shared_bytes<config>};
  DecodeWork& work = params.problem.work;
  const int tiles_per_head = std::max(
      1,
      static_cast<int>((problem.kv_rows + std::int64_t{decode_tile_keys} - 1) / decode_tile_keys));
  const std::int64_t heads = static_cast<std::int64_t>(problem.batch) * problem.kv_heads;
  if (heads * tiles_per_head > std::numeric_limits<int>::max())
    base::refuse(base::Exit::usage, "attention: ", problem.batch, " sequences with ",
                 problem.kv_heads, " heads of ", problem.kv_rows,
                 " keys are too many for one call: make it 2^31 / ", decode_tile_keys,
                 " keys in all at most");
  work.blocks =
      static_cast<int>(std::min<std::int64_t>(resident_clusters(kernel), heads * tiles_per_head));
  work.whole = decode_whole_heads(heads, tiles_per_head, work.blocks);

  PlanMemory memory(allocate);
  if (!work.whole) {
    const std::size_t slots = 2 * static_cast<std::size_t>(work.blocks * params.problem.rows);
    const std::size_t accumulators = slots * sizeof(float) * config.head_size;
    char* const workspace = static_cast<char*>(memory.get(accumulators + slots * sizeof(float2)));
    params.problem.partial_accumulators = reinterpret_cast<float*>(workspace);
    params.problem.partial_weights = reinterpret_cast<float2*>(workspace + accumulators);
  }
  auto run = [params, kernel, owned = memory.take()](cudaStream_t stream) {
    const DecodeWork& launched = params.problem.work;
    launch(kernel, params, launched.blocks, stream);
    if (!launched.whole)
      launch_combine({params.problem, Recipe::config.head_size, Recipe::config.element}, stream);
  };
  return {{base::say("decode_d", config.head_size, work.whole ? "" : "_split"), {}},
          std::move(run)};
}

}  // namespace aisp::tile::device
