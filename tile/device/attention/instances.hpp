// The compiled kinds of attention kernel behind plan_attention, one function for each.
#pragma once

#include <string>

#include "tile/device/attention/problem.hpp"
#include "tile/device/launch/launch_choice.hpp"
#include "tile/device/launch/plan.hpp"

namespace aisp::tile::device {

// The problem has been admitted: types, head size, alignment and window are ones that a kernel has.
Plan plan_forward(const AttentionProblem& problem, const Allocate& allocate);
// ... of e4m3, under the name that plan_forward gives it.
Plan plan_forward_fp8(const AttentionProblem& problem, const std::string& name,
                      const Allocate& allocate);

// ... on Blackwell: bf16 and f16, heads of 64 and 128.
Plan plan_forward_sm100(const AttentionProblem& problem);

// Split-KV: of problems that takes_decode() is true of.
Plan plan_decode(const AttentionProblem& problem, const Allocate& allocate);

}  // namespace aisp::tile::device
