// Attention with score and mask functions of one's own, in one kernel.
//
//   jit::Array<float> slope(slopes, heads);
//   jit::AttentionFunctions f{
//       .score = [&](auto s, auto at) { return s + slope[at.head] * (at.key - at.query); },
//       .mask = [&](auto at) { return at.query >= at.key; }};
//   const jit::FlexAttention attention(f);
//   attention(problem, stream);        // compiles at the first call, makes the block mask,
//   launches
#pragma once

#include "jit/attention/plan.hpp"
