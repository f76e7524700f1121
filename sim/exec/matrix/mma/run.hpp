// The handlers of mma.sync; chosen in bind.cpp. Operands in Op::list: the registers
// of D, A, B and C in that order; Op::a is the metadata of a sparse A.
#pragma once

#include "sim/machine/warp.hpp"

namespace aisp::sim {

Flow run_mma(Warp& warp, const Op& op, Mask mask);         // all but the two below
Flow run_mma_double(Warp& warp, const Op& op, Mask mask);  // f64
Flow run_mma_quad(Warp& warp, const Op& op, Mask mask);    // m8n8k4 on f16: four products

}  // namespace aisp::sim
