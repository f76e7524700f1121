// The operands and the result that an instance's kernels are compiled for.
#pragma once

#include "tile/collective/epilogue/chosen.hpp"
#include "tile/device/gemm/problem.hpp"

namespace aisp::tile::device {

struct Types {
  Element a = Element::bf16, b = Element::bf16, out = Element::bf16;
  Major a_major = Major::k, b_major = Major::k;
  Scaling scaling = Scaling::none, out_scaling = Scaling::none;
};

// What an instance's kernels compute of a problem's epilogue.
enum class Epilogue {
  linear,            // alpha A B + beta C
  scaled,            // alpha A B: for tiles so large that reading C would spill accumulators
  fused,             // activation(alpha A B + beta C + bias)
  fused_scaled,      // activation(alpha A B + bias), as scaled
  fused_transposed,  // of D^T, without C: the bias of a column of D is that of a row
};

// alpha A B + beta C; the accumulators of s8 GEMMs stored as s32 stay exact, and an output with
// block scales takes no C.
using ScaledTree = Scaled<Accumulator>;
template <Element out, Scaling out_scaling = Scaling::none>
using ProductTree =
    std::conditional_t<out == Element::s32, Accumulator,
                       std::conditional_t<out_scaling == Scaling::none, Linear<out>, ScaledTree>>;

template <Element out>
using FusedTree = ChosenActivation<PlusBias<out, Linear<out>>>;
template <Element out>
using FusedScaledTree = ChosenActivation<PlusBias<out, ScaledTree>>;
template <Element out>
using FusedTransposedTree = ChosenActivation<PlusRowBias<out, ScaledTree>>;

template <Epilogue epilogue, Element out, Scaling out_scaling>
struct TreeFor {
  using Tree = ProductTree<out, out_scaling>;
};
template <Element out, Scaling out_scaling>
struct TreeFor<Epilogue::scaled, out, out_scaling> {
  using Tree = ScaledTree;
};
template <Element out, Scaling out_scaling>
struct TreeFor<Epilogue::fused, out, out_scaling> {
  using Tree = FusedTree<out>;
};
template <Element out, Scaling out_scaling>
struct TreeFor<Epilogue::fused_scaled, out, out_scaling> {
  using Tree = FusedScaledTree<out>;
};
template <Element out, Scaling out_scaling>
struct TreeFor<Epilogue::fused_transposed, out, out_scaling> {
  using Tree = FusedTransposedTree<out>;
};
template <Epilogue epilogue, Element out, Scaling out_scaling = Scaling::none>
using TreeOf = typename TreeFor<epilogue, out, out_scaling>::Tree;

// A shape for these types. Shapes are written for 16-bit elements: a k-block keeps its bytes.
template <class Config>
constexpr Config shaped(Types types, Config shape) {
  shape.a = types.a, shape.b = types.b, shape.out = types.out;
  shape.a_major = types.a_major, shape.b_major = types.b_major;
  shape.tile_k = shape.tile_k * 2 / bytes_of(types.b);
  if constexpr (requires { shape.scaling; }) {
    shape.scaling = types.scaling, shape.out_scaling = types.out_scaling;
    if (shape.packs()) shape.tile_k *= 2;
  }
  return shape;
}

// What there are recipes for; operands whose name says nothing else are contiguous along k.
namespace types {
inline constexpr Types bf16{.a = Element::bf16, .b = Element::bf16, .out = Element::bf16};
inline constexpr Types bf16_a_mn{
    .a = Element::bf16, .b = Element::bf16, .out = Element::bf16, .a_major = Major::mn};
inline constexpr Types bf16_b_mn{
    .a = Element::bf16, .b = Element::bf16, .out = Element::bf16, .b_major = Major::mn};
inline constexpr Types bf16_both_mn{.a = Element::bf16,
                                    .b = Element::bf16,
                                    .out = Element::bf16,
                                    .a_major = Major::mn,
                                    .b_major = Major::mn};
inline constexpr Types bf16_to_f32{.a = Element::bf16, .b = Element::bf16, .out = Element::f32};
inline constexpr Types bf16_to_f32_a_mn{
    .a = Element::bf16, .b = Element::bf16, .out = Element::f32, .a_major = Major::mn};
inline constexpr Types bf16_to_f32_b_mn{
    .a = Element::bf16, .b = Element::bf16, .out = Element::f32, .b_major = Major::mn};
inline constexpr Types bf16_to_f32_both_mn{.a = Element::bf16,
                                           .b = Element::bf16,
                                           .out = Element::f32,
                                           .a_major = Major::mn,
                                           .b_major = Major::mn};
inline constexpr Types f16{.a = Element::f16, .b = Element::f16, .out = Element::f16};
inline constexpr Types f16_to_f32{.a = Element::f16, .b = Element::f16, .out = Element::f32};
inline constexpr Types f16_a_mn{
    .a = Element::f16, .b = Element::f16, .out = Element::f16, .a_major = Major::mn};
inline constexpr Types f16_b_mn{
    .a = Element::f16, .b = Element::f16, .out = Element::f16, .b_major = Major::mn};
inline constexpr Types f16_both_mn{.a = Element::f16,
                                   .b = Element::f16,
                                   .out = Element::f16,
                                   .a_major = Major::mn,
                                   .b_major = Major::mn};
inline constexpr Types tf32{.a = Element::tf32, .b = Element::tf32, .out = Element::f32};
inline constexpr Types e4m3_to_bf16{.a = Element::e4m3, .b = Element::e4m3, .out = Element::bf16};
inline constexpr Types e4m3_to_f32{.a = Element::e4m3, .b = Element::e4m3, .out = Element::f32};
inline constexpr Types e4m3_to_f16{.a = Element::e4m3, .b = Element::e4m3, .out = Element::f16};
inline constexpr Types e4m3_to_e4m3{.a = Element::e4m3, .b = Element::e4m3, .out = Element::e4m3};
inline constexpr Types nvfp4{
    .a = Element::e2m1, .b = Element::e2m1, .out = Element::bf16, .scaling = Scaling::nv};
inline constexpr Types nvfp4_to_f32{
    .a = Element::e2m1, .b = Element::e2m1, .out = Element::f32, .scaling = Scaling::nv};
inline constexpr Types nvfp4_to_nvfp4{.a = Element::e2m1,
                                      .b = Element::e2m1,
                                      .out = Element::e2m1,
                                      .scaling = Scaling::nv,
                                      .out_scaling = Scaling::nv};
// OCP's formats by the elements of A and B.
constexpr Types mx(Element a, Element b) {
  return {.a = a, .b = b, .out = Element::bf16, .scaling = Scaling::mx};
}
inline constexpr Types mxfp8_to_mxfp8{.a = Element::e4m3,
                                      .b = Element::e4m3,
                                      .out = Element::e4m3,
                                      .scaling = Scaling::mx,
                                      .out_scaling = Scaling::mx};
inline constexpr Types e5m2_e4m3{.a = Element::e5m2, .b = Element::e4m3, .out = Element::bf16};
inline constexpr Types e4m3_e5m2{.a = Element::e4m3, .b = Element::e5m2, .out = Element::bf16};
inline constexpr Types e5m2_e5m2{.a = Element::e5m2, .b = Element::e5m2, .out = Element::bf16};
inline constexpr Types s8_to_s32{.a = Element::s8, .b = Element::s8, .out = Element::s32};
inline constexpr Types s8_to_bf16{.a = Element::s8, .b = Element::s8, .out = Element::bf16};
inline constexpr Types s8_to_f32{.a = Element::s8, .b = Element::s8, .out = Element::f32};
inline constexpr Types s8_bf16{.a = Element::s8, .b = Element::bf16, .out = Element::bf16};
inline constexpr Types e4m3_bf16{.a = Element::e4m3, .b = Element::bf16, .out = Element::bf16};
}  // namespace types

}  // namespace aisp::tile::device
