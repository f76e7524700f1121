// Rung 4: one launch and nothing else. Setting amax to 0 was an operation of its own in front of
// the kernel; now the last warp to finish publishes the maximum.
#include "chapters/ch10/epilogue_fusion/fused.cuh"
#include "chapters/ch10/epilogue_fusion/last_warp.cuh"
#include "lab/case/registry.hpp"

using namespace aisp;

namespace {

using namespace ch10;

AmaxBoard* wiped_board(lab::Setup& setup) {
  void* board = setup.kept(sizeof(AmaxBoard), "the last warp of a run leaves it at 0");
  lab::check_cuda(cudaMemset(board, 0, sizeof(AmaxBoard)), "board of amax");
  // Streams of the lab do not wait for the default one.
  lab::check_cuda(cudaStreamSynchronize(nullptr), "board of amax");
  return static_cast<AmaxBoard*>(board);
}

template <class Variant>
lab::Run run(lab::Setup& setup) {
  using Recipe =
      FusedRecipe<ping_pong(Variant::out), typename Variant::template Tree<LastWarpAmax>>;
  return lab::per_buffers([board = wiped_board(setup)](const lab::Launch& launch) {
    const EpilogueBuffers buffers = epilogue_buffers(launch);
    auto params = Variant::template params<typename Recipe::Tree>(buffers);
    auto& amax = Variant::amax_of(params);
    amax.board = board;
    amax.warps_of_block = 4 * Recipe::config.math_warpgroups;
    return plan_product<Recipe>(buffers, params);
  });
}

lab::Run prepare(lab::Setup& setup) {
  return setup.problem().size.variant == "silu" ? run<SiluOfSum>(setup) : run<QuantisedSilu>(setup);
}

const lab::RungEntry entry{"ch10:epilogue_fusion",
                           {.name = "one_launch",
                            .step = 4,
                            .builds_on = "ping_pong",
                            .idea = "the last warp publishes amax: nothing runs before the kernel",
                            .look_at = "one node in the timeline instead of two",
                            .needs = lab::Needs::sm_90a,
                            .variants = {"silu", "fp8"},
                            .prepare = prepare}};

}  // namespace
