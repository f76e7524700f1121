// Rung 1: the library's contraction. Its modes are folded into rows, columns and sum, and TMA
// brings and stores the tiles of what stays hierarchical.
#include "chapters/ch10/tensor_contraction/contraction.hpp"
#include "lab/case/per_buffers.hpp"
#include "lab/case/registry.hpp"
#include "tile/device/contract/contract.hpp"

using namespace aisp;

namespace {

tile::device::ContractionProblem library_contraction(const lab::Size& size) {
  return tile::device::contraction(ch10::named_contraction(size.variant).expression,
                                   ch10::contraction_shape(size).extents);
}

lab::Run prepare(lab::Setup& setup) {
  auto shape = library_contraction(setup.problem().size);
  shape.a.data = shape.b.data = shape.d.data = setup.scratch(256);
  tile::device::plan_contraction(shape);  // refuses here what cannot be folded
  return lab::per_buffers([](const lab::Launch& launch) -> lab::Enqueue {
    auto problem = library_contraction(launch.problem.size);
    problem.a.data = launch.inputs.at(0), problem.b.data = launch.inputs.at(1);
    problem.d.data = launch.outputs.at(0);
    const auto plan = tile::device::plan_contraction(problem);
    return [plan](cudaStream_t stream) { plan.run(stream); };
  });
}

const lab::RungEntry entry{"ch10:tensor_contraction",
                           {.name = "folded",
                            .step = 1,
                            .builds_on = "permute_gemm",
                            .idea = "boxes of four-dimensional tensors fill the product's ring",
                            .look_at = "one kernel; bytes from memory are those of a, b and d",
                            .needs = lab::Needs::sm_90a,
                            .prepare = prepare}};

}  // namespace
