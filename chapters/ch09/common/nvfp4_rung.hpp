// The lab's buffers of an NVFP4 product as the tile library states it.
#pragma once

#include "chapters/ch09/common/nvfp4_inputs.hpp"
#include "chapters/common/product_rung.hpp"

namespace aisp::ch09::nvfp4 {

inline tile::device::GemmProblem shape_of(const lab::Problem& problem) {
  using enum tile::Element;
  auto shape = chapters::product_shape(problem, {e2m1, e2m1, bf16});
  shape.a.scaling = shape.b.scaling = tile::Scaling::nv;
  return shape;
}

inline lab::Run bound_run(const tile::device::GemmProblem& shape, tile::device::GemmBind bind) {
  return lab::per_buffers([shape, bind = std::move(bind)](const lab::Launch& launch) {
    tile::device::GemmProblem problem = shape;
    problem.a.data = launch.in<void>(a), problem.a.scales = launch.in<void>(a_scales);
    problem.b.data = launch.in<void>(b), problem.b.scales = launch.in<void>(b_scales);
    problem.d.data = launch.out<void>(0);
    return bind(problem);
  });
}

}  // namespace aisp::ch09::nvfp4
