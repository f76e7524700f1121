// Makes rungs of the library's kernel for Blackwell, whose configuration says what a rung adds.
#pragma once

#include "chapters/ch10/common/attention_library.hpp"
#include "tile/device/attention/plan_sm100.cuh"

namespace aisp::ch10 {

// One tile of queries and no idea but roles: each rung takes one more of the kernel's.
constexpr tile::Sm100AttentionConfig tcgen05_config(int head_size) {
  return {.head_size = head_size,
          .query_tiles = 1,
          .key_stages = head_size == 64 ? 4 : 3,
          .value_stages = head_size == 64 ? 4 : 2,
          .correction = false,
          .slack = 0,
          .weight_parts = 1,
          .polynomials = 0};
}

template <class Recipe>
lab::Run run_tcgen05_attention(lab::Setup& setup) {
  constexpr tile::Sm100AttentionConfig config = Recipe::config;
  setup.note(base::say("a block has ", config.threads() / 32, " warps, ",
                       config.tmem().allocation(), " columns of tensor memory and ",
                       tile::sm100_attention_shared_bytes<config> / 1024, " KiB of shared memory"));
  return run_attention(
      setup, [](const tile::device::AttentionProblem& problem, const tile::device::Allocate&) {
        return tile::device::plan_attention_sm100<Recipe>(problem, "rung");
      });
}

template <class Of64, class Of128>
lab::Run run_tcgen05_by_head_size(lab::Setup& setup) {
  return head_size(setup.problem()) == 64 ? run_tcgen05_attention<Of64>(setup)
                                          : run_tcgen05_attention<Of128>(setup);
}

}  // namespace aisp::ch10
