// The operands and the result that an instance's kernels are compiled for.
#pragma once

#include "tile/collective/epilogue/nodes.hpp"
#include "tile/collective/gemm_config.hpp"
#include "tile/device/gemm/problem.hpp"

namespace aisp::tile::device {

struct Types {
  Element a = Element::bf16, b = Element::bf16, out = Element::bf16;
  Major a_major = Major::k, b_major = Major::k;
  Scaling scaling = Scaling::none, out_scaling = Scaling::none;
};

// alpha A B + beta C; the accumulators of s8 products stored as s32 stay exact.
template <Element out>
using ProductTree = std::conditional_t<out == Element::s32, Accumulator, Linear<out>>;

// alpha A B, for tiles so large that reading C would spill accumulators.
using ScaledTree = Scaled<Accumulator>;

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
