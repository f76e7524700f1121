// The library's attention as a rung: planned for the lab's problem, then only launched.
#pragma once

#include "chapters/ch10/common/attention_args.hpp"
#include "chapters/ch10/common/plan_workspace.hpp"
#include "lab/case/per_buffers.hpp"
#include "tile/device/attention/attention.hpp"

namespace aisp::ch10 {

inline tile::device::AttentionProblem library_attention(const lab::Problem& problem, const void* q,
                                                        const void* k, const void* v, void* o) {
  const auto& queries = problem.inputs[0].shape;
  const auto& keys = problem.inputs[1].shape;
  const auto dense = [](const void* data, const std::vector<std::int64_t>& shape) {
    return tile::device::HeadTensor{.data = data,
                                    .row_stride = shape[3],
                                    .head_stride = shape[2] * shape[3],
                                    .batch_stride = shape[1] * shape[2] * shape[3]};
  };
  tile::device::AttentionProblem attention{.batch = static_cast<int>(queries[0]),
                                           .query_heads = static_cast<int>(queries[1]),
                                           .kv_heads = static_cast<int>(keys[1]),
                                           .query_rows = static_cast<int>(queries[2]),
                                           .kv_rows = static_cast<int>(keys[2]),
                                           .head_size = static_cast<int>(queries[3])};
  attention.q = dense(q, queries), attention.o = dense(o, queries);
  attention.k = dense(k, keys), attention.v = dense(v, keys);
  if (problem.size.variant == "causal") attention.window_right = 0;
  return attention;
}

// What a plan's workspace holds: counters that each launch leaves at 0, or results that its first
// kernel hands to its second.
enum class WorkspaceHolds { counters, results };

// `plan` takes a problem and where to get memory.
template <class Plan>
lab::Run run_attention(lab::Setup& setup, const Plan& plan,
                       WorkspaceHolds holds = WorkspaceHolds::counters) {
  PlanWorkspace workspace;
  void* stand_in = setup.scratch(256);
  plan(library_attention(setup.problem(), stand_in, stand_in, stand_in, stand_in),
       workspace.first([&](std::size_t bytes) {
         return holds == WorkspaceHolds::results
                    ? setup.scratch(bytes)
                    : setup.kept(bytes, "counters of a plan, 0 between launches");
       }));
  return lab::per_buffers([plan, workspace](const lab::Launch& launch) -> lab::Enqueue {
    const auto made = plan(library_attention(launch.problem, launch.in<void>(0), launch.in<void>(1),
                                             launch.in<void>(2), launch.out<void>(0)),
                           workspace.again());
    return [made](cudaStream_t stream) { made.run(stream); };
  });
}

inline lab::Run run_attention_library(lab::Setup& setup) {
  return run_attention(setup, tile::device::plan_attention);
}

}  // namespace aisp::ch10
