// Contractions of two tensors with one call. The kernels are compiled (aisp::contract); this header
// needs no nvcc.
//   auto problem = tile::device::contraction("bhsd,hde->bse", {{'b', 4}, {'h', 16}, ...});
//   problem.a.data = o, problem.b.data = weights, problem.d.data = y;
//   tile::device::contract(problem, stream);
// It is the library's GEMM: the modes are folded into rows, columns, sum and batch, and TMA brings
// tiles of what stays hierarchical, so that no tensor is permuted in memory. What cannot be folded
// is refused by an exception that names the modes. sm_90 and sm_100.
#pragma once

#include "tile/device/contract/boxes.hpp"
#include "tile/device/gemm/gemm.hpp"

namespace aisp::tile::device {

// On the current device. A mode of the sum may have no elements, D is zeros then; where a mode of D
// has none, there is nothing to do. Plans are kept: a call that repeats an earlier one, pointers
// and stream included, only launches; a new one may synchronise. A captured call has a plan of its
// own, which lives as long as the graph does.
void contract(const ContractionProblem& problem, cudaStream_t stream = nullptr);

// The recipe that the rule of tile/device/gemm/choose.hpp estimates to take the least time.
Plan plan_contraction(const ContractionProblem& problem);

// A recipe by its name.
Plan plan_contraction(const ContractionProblem& problem, const Choice& choice);

// All recipes for contractions; elements and majors tell those of one name apart.
std::span<const KernelDescription> contraction_recipes();

// What plan_contraction chooses on such a machine; data is looked at for its alignment only.
Choice choose_contraction(const ContractionProblem& problem, const Machine& machine);

// The product that is computed: whole tiles of the recipe.
GemmProblem product_of(const Folding& folding, const ContractionProblem& problem,
                       const KernelDescription& kernel);

}  // namespace aisp::tile::device
