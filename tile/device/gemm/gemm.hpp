// GEMMs with one call. The kernels are compiled (aisp::gemm); this header needs no nvcc.
//   tile::device::GemmProblem problem{.m = m, .n = n, .k = k};
//   problem.a = {.data = a, .element = tile::Element::bf16, .stride = k};  // (m, k)
//   problem.b = {.data = b, .element = tile::Element::bf16, .stride = k};  // (n, k)
//   problem.d = {.data = d, .element = tile::Element::bf16, .stride = n};  // (m, n)
//   tile::device::gemm(problem, stream);
// What the library does not take is refused by an exception whose text has the rule and the
// numbers. Which recipe is taken when: docs/choosing.md.
#pragma once

#include <memory>
#include <span>

#include "tile/device/gemm/choose.hpp"

namespace aisp::tile::device {

// D = activation(alpha A B' + beta C + bias) for every matrix of the batch, on the current device.
// Where k is 0, there is no A B'; where m, n or batch is 0, nothing is done. A bias or an
// activation goes with bf16 -> bf16 and f16 -> f16. Plans are kept: a call that repeats an earlier
// one, pointers and stream included, only launches; a new one may synchronise. While the stream is
// captured, each call has a plan of its own, which lives as long as the graph and what is made of
// it.
void gemm(const GemmProblem& problem, cudaStream_t stream = nullptr);

// The recipe that was tuned for this product on this device, else the rule's. Without `allocate`
// the plan has its own workspace.
Plan plan_gemm(const GemmProblem& problem, const Allocate& allocate = {});

// A recipe by its name.
Plan plan_gemm(const GemmProblem& problem, const Choice& choice, const Allocate& allocate = {});

// All recipes of the library.
std::span<const KernelDescription> gemm_recipes();

}  // namespace aisp::tile::device
