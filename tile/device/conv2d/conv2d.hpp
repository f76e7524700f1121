// Convolutions with one call. The kernels are compiled (aisp::conv2d); this header needs no nvcc.
//   tile::device::Conv2dProblem problem{.n = 32, .h = 56, .w = 56, .c = 64, .k = 64};
//   problem.r = 3, problem.s = 3, problem.padding = {1, 1};
//   problem.x = x, problem.filter = filter, problem.y = y;
//   tile::device::conv2d(problem, stream);
// x is (n, h, w, c), the filter (k, r, s, c / groups), y (n, p, q, k). It is the library's matrix
// product with n * p * q rows, k columns and a sum over r * s * c; TMA gathers the pixels of each
// tile, so that no im2col matrix is ever written. For sm_90 and sm_100.
//
// Gradients are the same call:
//   problem.direction = Conv2dDirection::backward_data, problem.dy = dy, problem.dx = dx;
//   problem.direction = Conv2dDirection::backward_weights, problem.dw = dw;
#pragma once

#include <vector>

#include "tile/device/conv2d/problem.hpp"
#include "tile/device/gemm/gemm.hpp"

namespace aisp::tile::device {

// On the current device. Without images (n is 0) there is nothing to do, but for a gradient of the
// filter, which is zeros. Plans are kept: a call that repeats an earlier one, pointers and stream
// included, only launches; a new one may synchronise. A captured call has a plan of its own, which
// lives as long as the graph does.
void conv2d(const Conv2dProblem& problem, cudaStream_t stream = nullptr);

// The recipe that the rule of tile/device/gemm/choose.hpp estimates to take the least time. Without
// `allocate` the plan has its own workspace. That of groups and of backward_data holds tensor maps,
// and so addresses: plans for other tensors must not share it.
Plan plan_conv2d(const Conv2dProblem& problem, const Allocate& allocate = {});

// A recipe by its name, of those for the problem's direction and element.
Plan plan_conv2d(const Conv2dProblem& problem, const Choice& choice, const Allocate& allocate = {});

// All recipes for convolutions; their elements are those of the configuration.
std::vector<KernelDescription> conv2d_recipes(Conv2dDirection direction = Conv2dDirection::forward);

// What plan_conv2d chooses on such a machine.
Choice choose_conv2d(const Conv2dProblem& problem, const Machine& machine);

}  // namespace aisp::tile::device
