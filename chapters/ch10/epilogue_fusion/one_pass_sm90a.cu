// Rung 1: all steps in one pass over the product: it is written once and read once, in f32.
#include "chapters/ch10/epilogue_fusion/launch.hpp"
#include "chapters/ch10/epilogue_fusion/passes.cuh"
#include "chapters/ch10/epilogue_fusion/product_f32.hpp"
#include "lab/case/registry.hpp"

using namespace aisp;

namespace {

using namespace ch10;

template <bool quantise>
struct WholeEpilogue {
  const float* v;
  const float *bias, *scale;
  void *d, *aux;
  float* amax;

  TILE_DEVICE void step(std::int64_t index, int column, Largest& largest) const {
    const Eight sum = plus_bias(load_eight<Element::f32>(v, index), bias, column);
    const Eight activated = silu(sum);
    largest.see(activated);
    if constexpr (quantise) {
      store_eight<Element::bf16>(aux, index, sum);
      store_eight<Element::e4m3>(d, index, times(activated, *scale));
    } else {
      store_eight<Element::bf16>(d, index, activated);
    }
  }
};

template <bool quantise>
lab::Run product_and_pass(lab::Setup& setup) {
  float* v = scratch_of_product(setup);
  return
      [product = product_to_f32(v), v,
       pass = PassLauncher(setup.problem(), setup.multiprocessors())](const lab::Launch& launch) {
        product(launch);
        const EpilogueBuffers b = epilogue_buffers(launch);
        pass(WholeEpilogue<quantise>{v, b.bias, b.scale, b.d, b.aux, b.amax}, launch.stream);
      };
}

lab::Run prepare(lab::Setup& setup) {
  return setup.problem().size.variant == "silu" ? product_and_pass<false>(setup)
                                                : product_and_pass<true>(setup);
}

const lab::RungEntry entry{"ch10:epilogue_fusion",
                           {.name = "one_pass",
                            .step = 1,
                            .builds_on = "separate_kernels",
                            .idea = "one kernel for all steps after the product",
                            .look_at = "4 bytes in, 2 or 3 out per element, at the rate of memory",
                            .needs = lab::Needs::sm_90a,
                            .variants = {"silu", "fp8"},
                            .prepare = prepare}};

}  // namespace
