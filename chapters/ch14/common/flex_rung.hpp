// Attention with functions as a rung.
#pragma once

#include "base/refuse.hpp"
#include "chapters/ch14/common/flex_functions.hpp"
#include "chapters/common/exhibits.hpp"
#include "lab/case/per_buffers.hpp"

namespace aisp::ch14 {

// How the block mask comes to be.
enum class BlockMaskIs { made_each_run, kept, of_every_block };

inline tile::device::AttentionProblem attention_of(const lab::Problem& problem, const void* q,
                                                   const void* k, const void* v, void* o) {
  const auto& shape = problem.inputs[0].shape;
  const auto dense = [&](const void* data) {
    return tile::device::HeadTensor{.data = data,
                                    .row_stride = shape[3],
                                    .head_stride = shape[2] * shape[3],
                                    .batch_stride = shape[1] * shape[2] * shape[3]};
  };
  return {.batch = static_cast<int>(shape[0]),
          .query_heads = static_cast<int>(shape[1]),
          .kv_heads = static_cast<int>(shape[1]),
          .query_rows = static_cast<int>(shape[2]),
          .kv_rows = static_cast<int>(shape[2]),
          .head_size = static_cast<int>(shape[3]),
          .q = dense(q),
          .k = dense(k),
          .v = dense(v),
          .o = dense(o)};
}

inline void say_what_was_made(lab::Setup& setup, const jit::FlexPlan& plan) {
  std::string note = plan.kernel();
  if (plan.has_block_mask()) {
    const auto blocks = plan.block_mask().count();
    note += base::say(", ", blocks.seen, " of ", blocks.all, " blocks, ", blocks.whole,
                      " without the mask");
  }
  setup.note(note);
  setup.shows([plan] {
    std::vector<lab::Exhibit> all;
    for (const jit::Inspection& one : plan.inspect())
      for (lab::Exhibit& exhibit : chapters::exhibits_of(one)) all.push_back(std::move(exhibit));
    return all;
  });
}

inline std::function<lab::Run(lab::Setup&)> flex_rung(BlockMaskIs mask) {
  return [mask](lab::Setup& setup) {
    const lab::Problem& problem = setup.problem();
    const Flex flex = flex_of(problem);
    const jit::FlexOptions options{.precise = flex == Flex::soft_cap_precise,
                                   .every_block = mask == BlockMaskIs::of_every_block};
    const int* documents = documents_of(setup);
    const auto plan_for = [flex, options, documents](const lab::Problem& of, const void* q,
                                                     const void* k, const void* v,
                                                     const void* slope, void* o) {
      const auto& shape = of.inputs[0].shape;
      const jit::FlexAttention attention(
          flex_functions(flex, {.slope = static_cast<const float*>(slope),
                                .heads = shape[1],
                                .document = documents,
                                .rows = shape[2]}),
          options);
      return attention.plan(attention_of(of, q, k, v, o));
    };
    // Compiled now, and looked at; buffers that nobody reads.
    void* any = setup.scratch(4096);
    const jit::FlexPlan first = plan_for(problem, any, any, any, any, any);
    first.make_block_mask();
    say_what_was_made(setup, first);
    return lab::per_buffers([plan_for, mask](const lab::Launch& launch) -> lab::Enqueue {
      const jit::FlexPlan plan =
          plan_for(launch.problem, launch.in<void>(0), launch.in<void>(1), launch.in<void>(2),
                   launch.in<void>(3), launch.out<void>(0));
      if (mask != BlockMaskIs::made_each_run) {
        plan.make_block_mask(launch.stream);  // before what the stream does with it
        return [plan](cudaStream_t stream) { plan.attend(stream); };
      }
      return [plan](cudaStream_t stream) {
        plan.make_block_mask(stream);
        plan.attend(stream);
      };
    });
  };
}

}  // namespace aisp::ch14
