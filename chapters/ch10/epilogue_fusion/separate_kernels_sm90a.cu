// Rung 0: every step of the epilogue is a kernel of its own and goes through memory in f32: the
// bias, SiLU, the largest magnitude, in fp8 also the quantisation. The variant plain is the product
// alone.
#include "chapters/ch10/epilogue_fusion/fused.cuh"
#include "chapters/ch10/epilogue_fusion/passes.cuh"
#include "chapters/ch10/epilogue_fusion/product_f32.hpp"
#include "lab/case/registry.hpp"

using namespace aisp;

namespace {

using namespace ch10;

struct AddBias {
  float* v;
  const float* bias;
  void* aux;  // v in bf16, or null

  TILE_DEVICE void step(std::int64_t index, int column, Largest&) const {
    const Eight sum = plus_bias(load_eight<Element::f32>(v, index), bias, column);
    store_eight<Element::f32>(v, index, sum);
    if (aux) store_eight<Element::bf16>(aux, index, sum);
  }
};

template <Element out>
struct Activate {
  const float* v;
  void* to;

  TILE_DEVICE void step(std::int64_t index, int, Largest&) const {
    store_eight<out>(to, index, silu(load_eight<Element::f32>(v, index)));
  }
};

template <Element in>
struct TakeAmax {
  const void* of;
  float* amax;

  TILE_DEVICE void step(std::int64_t index, int, Largest& largest) const {
    largest.see(load_eight<in>(of, index));
  }
};

struct Quantise {
  const float* activated;
  const float* scale;
  void* d;

  TILE_DEVICE void step(std::int64_t index, int, Largest&) const {
    store_eight<Element::e4m3>(d, index, times(load_eight<Element::f32>(activated, index), *scale));
  }
};

void silu_passes(const PassLauncher& pass, float* v, const EpilogueBuffers& b,
                 cudaStream_t stream) {
  pass(AddBias{v, b.bias, nullptr}, stream);
  pass(Activate<Element::bf16>{v, b.d}, stream);
  pass(TakeAmax<Element::bf16>{b.d, b.amax}, stream);
}

void fp8_passes(const PassLauncher& pass, float* v, const EpilogueBuffers& b, cudaStream_t stream) {
  pass(AddBias{v, b.bias, b.aux}, stream);
  pass(Activate<Element::f32>{v, v}, stream);
  pass(TakeAmax<Element::f32>{v, b.amax}, stream);
  pass(Quantise{v, b.scale, b.d}, stream);
}

lab::Run prepare(lab::Setup& setup) {
  const std::string& variant = setup.problem().size.variant;
  if (variant == "plain") return zero_and_run<Plain, cooperative(Plain::out)>();
  float* v = scratch_of_product(setup);
  return
      [product = product_to_f32(v), v, passes = variant == "silu" ? silu_passes : fp8_passes,
       pass = PassLauncher(setup.problem(), setup.multiprocessors())](const lab::Launch& launch) {
        product(launch);
        passes(pass, v, epilogue_buffers(launch), launch.stream);
      };
}

const lab::RungEntry entry{
    "ch10:epilogue_fusion",
    {.name = "separate_kernels",
     .step = 0,
     .builds_on = "",
     .idea = "the product, then a kernel for each step of the epilogue",
     .look_at = "f32 through memory once per step: 4 bytes out of the product, 8 per step",
     .needs = lab::Needs::sm_90a,
     .prepare = prepare}};

}  // namespace
