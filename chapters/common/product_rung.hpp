// C (M, N) = A (M, K) times the transpose of B (N, K), row-major: the lab's problem as the tile
// library states it, and a plan of it bound to the lab's buffers.
#pragma once

#include "lab/case/per_buffers.hpp"
#include "lab/case/registry.hpp"
#include "tile/device/gemm/plan_parts.hpp"

namespace aisp::chapters {

using tile::device::GemmProblem;

struct Elements {
  tile::Element a = tile::Element::bf16, b = tile::Element::bf16, out = tile::Element::bf16;
};

// Without data: what is known before there are buffers.
inline GemmProblem product_shape(const lab::Problem& problem, Elements elements) {
  const auto& size = problem.size.dims;
  GemmProblem shape{.m = size.at(0), .n = size.at(1), .k = size.at(2)};
  shape.a = {.element = elements.a, .stride = shape.k};
  shape.b = {.element = elements.b, .stride = shape.k};
  shape.d = {.element = elements.out, .stride = shape.n};
  return shape;
}

inline lab::Run bound_run(const GemmProblem& shape, tile::device::GemmBind bind) {
  return lab::per_buffers([shape, bind = std::move(bind)](const lab::Launch& launch) {
    GemmProblem problem = shape;
    problem.a.data = launch.in<void>(0);
    problem.b.data = launch.in<void>(1);
    problem.d.data = launch.out<void>(0);
    return bind(problem);
  });
}

// Row by row: what a rung walks that says nothing about the order of tiles.
inline constexpr tile::device::LaunchChoice row_by_row{.raster = {.group = 1}};

}  // namespace aisp::chapters
