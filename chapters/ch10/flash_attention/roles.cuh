// Makes rungs of the library's kernel with roles, whose configuration says what a rung adds.
#pragma once

#include "chapters/ch10/common/attention_library.hpp"
#include "tile/device/attention/plan_sm90.cuh"

namespace aisp::ch10 {

using tile::device::AttentionSchedule;

// Two math warpgroups for both head sizes, so that rungs differ in nothing but their idea.
constexpr tile::Sm90AttentionConfig roles_config(int head_size) {
  tile::Sm90AttentionConfig config{.head_size = head_size, .overlapped = false, .ping_pong = false};
  if (head_size == 64) config.key_stages = config.value_stages = 4;
  return config;
}

template <class Recipe>
lab::Run run_roles(lab::Setup& setup, AttentionSchedule schedule) {
  return run_attention(setup, [schedule](const tile::device::AttentionProblem& problem,
                                         const tile::device::Allocate& allocate) {
    return tile::device::plan_with<Recipe>(problem, "rung", schedule, allocate);
  });
}

template <class Of64, class Of128, AttentionSchedule schedule>
lab::Run run_roles_by_head_size(lab::Setup& setup) {
  return head_size(setup.problem()) == 64 ? run_roles<Of64>(setup, schedule)
                                          : run_roles<Of128>(setup, schedule);
}

}  // namespace aisp::ch10
