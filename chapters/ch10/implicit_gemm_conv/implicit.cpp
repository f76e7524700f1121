// Rung 1: the library's convolution. TMA gathers the pixels of each k-block straight from the
// images into the ring of the product's kernel.
#include "chapters/ch10/implicit_gemm_conv/library_conv.hpp"
#include "lab/case/registry.hpp"

using namespace aisp;

namespace {

using namespace tile::device;

// Of groups and of classes of pixels the plan has tensor maps in device memory, so that each set of
// buffers needs its own.
lab::Run prepare_tables(lab::Setup& setup) {
  return lab::per_buffers([&setup](const lab::Launch& launch) -> lab::Enqueue {
    const auto plan = plan_conv2d(
        ch10::library_conv(launch.problem, launch.inputs.at(0), launch.inputs.at(1),
                           launch.outputs.at(0)),
        [&setup](std::size_t bytes) { return setup.kept(bytes, "tables uploaded once"); });
    return [plan](cudaStream_t stream) { plan.run(stream); };
  });
}

lab::Run prepare(lab::Setup& setup) {
  const lab::ConvVariant variant = lab::conv_variant(setup.problem().size.variant);
  if (variant.groups > 1 || variant.direction == lab::ConvDirection::backward_data)
    return prepare_tables(setup);
  ch10::PlanWorkspace workspace;
  void* stand_in = setup.scratch(256);
  plan_conv2d(ch10::library_conv(setup.problem(), stand_in, stand_in, stand_in),
              workspace.first(ch10::flags_of(setup)));
  return lab::per_buffers([workspace](const lab::Launch& launch) -> lab::Enqueue {
    const auto plan = plan_conv2d(ch10::library_conv(launch.problem, launch.inputs.at(0),
                                                     launch.inputs.at(1), launch.outputs.at(0)),
                                  workspace.again());
    return [plan](cudaStream_t stream) { plan.run(stream); };
  });
}

const lab::RungEntry entry{"ch10:implicit_gemm_conv",
                           {.name = "implicit",
                            .step = 1,
                            .builds_on = "explicit_im2col",
                            .idea = "im2col mode of TMA fills the ring, no patches in memory",
                            .look_at = "one kernel; bytes from memory are those of x, w and y",
                            .needs = lab::Needs::sm_90a,
                            .prepare = prepare}};

}  // namespace
