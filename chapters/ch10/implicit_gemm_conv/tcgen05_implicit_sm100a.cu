// Rung 2: Blackwell. The same gathering copies in front of the kernel whose accumulators are in
// tensor memory: everything behind the loads is the product's.
#include "chapters/ch10/implicit_gemm_conv/library_conv.hpp"
#include "lab/case/registry.hpp"
#include "tile/device/conv2d/admit.hpp"
#include "tile/device/conv2d/kernels_sm100.cuh"
#include "tile/device/conv2d/plan.cuh"

using namespace aisp;

namespace {

constexpr tile::Sm100Config config{.tile_n = 128, .stages = 5};

struct ConvolutionRecipe
    : tile::device::Sm100Convolution<config, tile::Linear<config.out>, tile::LaunchControl> {};

lab::Run prepare(lab::Setup& setup) {
  void* stand_in = setup.scratch(256);
  tile::device::admit(ch10::library_conv(setup.problem(), stand_in, stand_in, stand_in));
  return lab::per_buffers([](const lab::Launch& launch) -> lab::Enqueue {
    return tile::device::plan_convolution<ConvolutionRecipe>(ch10::library_conv(
        launch.problem, launch.inputs.at(0), launch.inputs.at(1), launch.outputs.at(0)));
  });
}

const lab::RungEntry entry{"ch10:implicit_gemm_conv",
                           {.name = "tcgen05_implicit",
                            .step = 2,
                            .builds_on = "implicit",
                            .idea = "the same gathering copies in front of tcgen05",
                            .look_at = "the loader is all that differs from a matrix product",
                            .needs = lab::Needs::sm_100a,
                            .variants = {""},
                            .prepare = prepare}};

}  // namespace
