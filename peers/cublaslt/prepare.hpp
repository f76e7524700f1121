// How cuBLASLt computes the problems of the lab: preparations for rungs, which search algorithms on
// random data of the problem's shapes before anything is timed. Each refuses (Exit::environment) on
// the simulator and where the library or an algorithm is missing.
#pragma once

#include "lab/case/rung.hpp"
#include "peers/cublaslt/matmul.hpp"

namespace aisp::peers {

// The problem's first input times its second, an (n, k) matrix or a (k, n) one.
lab::Run prepare_product_nk(lab::Setup& setup);
lab::Run prepare_product_kn(lab::Setup& setup);

// An epilogue problem (lab/judge/epilogue_problem.hpp). The library adds the bias and writes f32 or
// bf16; it has neither SiLU nor amax of a bf16 result, so one pass of our own does the rest.
lab::Run prepare_product_and_pass(lab::Setup& setup);
lab::Run prepare_bf16_product_and_pass(lab::Setup& setup);

// The perceptron (lab/judge/batch_problem.hpp) with max(0, x) in the library's epilogue: the
// micro-batches as a strided batch that shares its weights, or all rows as one product.
lab::Run prepare_mlp_strided(lab::Setup& setup);
lab::Run prepare_mlp_one_product(lab::Setup& setup);

// The grouped product as one call per group with rows, on one stream, each algorithm searched.
lab::Run prepare_group_loop(lab::Setup& setup);

// Shared by those: the library's handle, 64 MiB of workspace and a buffer to flush L2 with.
Resources resources_for(lab::Setup& setup);

// Random values on the device: the power, and with it the clock, of a product depends on them.
void* random_on_device(lab::Setup& setup, const lab::Tensor& what, std::uint32_t stream);

// The problem's product of inputs 0 and 1 by size.dims = {m, n, k}.
MatmulShape shape_of(const lab::Problem& problem, bool b_is_nk);

}  // namespace aisp::peers
