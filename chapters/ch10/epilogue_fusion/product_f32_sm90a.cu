// The product that the unfused rungs start with, by the kernel of the cooperative rung: in f32 to
// `v`, for passes to work on.
#include "chapters/ch10/epilogue_fusion/fused.cuh"
#include "chapters/ch10/epilogue_fusion/product_f32.hpp"

using namespace aisp;

lab::Run ch10::product_to_f32(float* v) {
  using Recipe = FusedRecipe<cooperative(Element::f32), tile::Accumulator>;
  return lab::per_buffers([v](const lab::Launch& launch) -> lab::Enqueue {
    EpilogueBuffers buffers = epilogue_buffers(launch);
    buffers.d = v;
    return plan_product<Recipe>(buffers, {});
  });
}
