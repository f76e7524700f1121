// Functions that are made of others: what networks use by name, and reductions that count. Each is
// recorded as the operations that it consists of, at the place where it was called.
#pragma once

#include "jit/trace/functions.hpp"

namespace aisp::jit {

// By element.
Tile relu(Arg x);       // max(x, 0)
Tile silu(Arg x);       // x sigmoid(x)
Tile gelu(Arg x);       // x Phi(x), by erfc
Tile gelu_tanh(Arg x);  // its approximation by tanh
Tile softplus(Arg x);   // log(1 + exp(x))
Tile reciprocal(Arg x);
Tile square(Arg x);
Tile sign(Arg x);  // -1, 1, or x itself where it is 0 or NaN
Tile clamp(Arg x, Arg least, Arg most);
Tile isnan(Arg x);
Tile isinf(Arg x);
Tile isfinite(Arg x);

// Along an axis. Only elements inside of their tensors count.
Tile mean(Arg x, Axis axis);
Tile var(Arg x, Axis axis);  // mean of the squares of x - mean(x): divided by n, not by n - 1
Tile log_sum_exp(Arg x, Axis axis);
Tile softmax(Arg x, Axis axis);

AISP_JIT_NEEDS_AXIS(mean)
AISP_JIT_NEEDS_AXIS(var)
AISP_JIT_NEEDS_AXIS(log_sum_exp)
AISP_JIT_NEEDS_AXIS(softmax)
#undef AISP_JIT_NEEDS_AXIS

}  // namespace aisp::jit
