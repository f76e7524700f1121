// The form of wgmma.mma_async, and the handlers of wgmma.
#pragma once

#include <cstdint>

#include "sim/exec/form.hpp"
#include "sim/machine/warp.hpp"
#include "sim/program/type.hpp"

namespace aisp::sim {

struct WgmmaForm {
  Type a{}, b{}, d{};
  std::uint8_t eighth_n = 0, quarter_k = 0;  // n / 8, k / 4
  bool a_in_registers : 1 = false, sparse : 1 = false, saturate : 1 = false;
  bool negate_a : 1 = false, negate_b : 1 = false;
  bool a_mn_major : 1 = false, b_mn_major : 1 = false, scale_d_negated : 1 = false;
  std::uint16_t selector = 0;

  int n() const { return 8 * eighth_n; }
  int k() const { return 4 * quarter_k; }
  int products() const { return sparse ? k() / 2 : k(); }
  // Registers a lane holds of D.
  int accumulators() const { return d == Type::f16 ? n() / 4 : n() / 2; }
};

// Operands: Op::list is D and, with A in registers, its four; Op::a and Op::b the descriptors,
// Op::c the metadata of a sparse A, Op::d the predicate scale-d.
Flow run_wgmma(Warp& warp, const Op& op, Mask mask);
Flow run_wgmma_fence(Warp& warp, const Op& op, Mask mask);
Flow run_wgmma_commit(Warp& warp, const Op& op, Mask mask);
Flow run_wgmma_wait(Warp& warp, const Op& op, Mask mask);  // Op::imm: groups that may be left

// A product as it was issued: what a warp contributes, its 16 rows of D. Reads and writes the
// warp's registers and reads shared memory when it is called, not before.
struct WgmmaProduct {
  Warp* warp = nullptr;
  const Op* op = nullptr;
  std::uint64_t a_descriptor = 0, b_descriptor = 0;
  bool accumulate = true;
  void operator()() const;
};

}  // namespace aisp::sim
