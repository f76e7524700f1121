// The arithmetic of matrix instructions on plain arrays, bit for bit as tensor cores do it.
//
// Floating point: the products of a row and a column are taken in groups of `terms`. In a group all
// products are exact and unnormalised (exponents add), they and the accumulator are aligned to the
// largest exponent among them, truncated toward zero to `bits` fractional bits, summed exactly, and
// the sum is converted to the result's format: f32 truncated (to 13 fraction bits when `bits` is
// 13), f16 rounded to nearest even. Any NaN, inf * 0 and inf - inf give the one NaN 0x7fffffff
// (0x7fff in f16). As published for MMA-Sim (arXiv 2511.10909) and compared with an H200.
#pragma once

#include <cstdint>

#include "sim/exec/arithmetic/floating/rounding.hpp"
#include "sim/program/type.hpp"

namespace aisp::sim {

struct FloatRule {
  int terms = 16;
  int bits = 25;
};

// One product as the arrays say it: matrices in row-major order, one element per word. A is
// m x products, B is k x n, C is m x n and receives the result. `index` (m x products) names the
// row of B each element of A meets, for sparse A; null: its own column.
struct MatrixProduct {
  int m = 0, n = 0, products = 0, k = 0;
  const std::uint32_t* a = nullptr;
  const std::uint32_t* b = nullptr;
  const std::uint8_t* index = nullptr;
  std::uint32_t* c = nullptr;
  // Exponents of two that every product is scaled by, of A's rows and of B's columns (block scales
  // of ue8m0), and those of C: all exact, before anything is aligned. Null: none.
  const std::int32_t* row_scales = nullptr;
  const std::int32_t* column_scales = nullptr;
  int c_scale = 0;
};
// Largest sizes: wgmma.sp on 8-bit types, mma on 4-bit types, wmma.m32n8k16; of A, tcgen05.mma.
inline constexpr int max_matrix_rows = 128;
inline constexpr int max_matrix_a = max_matrix_rows * 64, max_matrix_b = 64 * 256,
                     max_matrix_c = 16 * 256, max_block_matrix_b = 128 * 256;

// Types f16, bf16, tf32 (an f32 whose low 13 bits are ignored), e4m3, e5m2, e3m2, e2m3, e2m1;
// `result` f16 or f32.
void multiply_floats(const MatrixProduct& product, Type a, Type b, Type result, FloatRule rule);
// A block scale of mxf4nvf4: value = significand / 8 * 2^exponent.
struct BlockScale {
  std::int32_t significand = 8, exponent = 0;
};
// e2m1 with a scale for every 16 stored elements of a row of A (m x products / 16) and for the
// elements of a column of B that they meet (products / 16 x n), into f32. The dot product of 16 is
// exact; those, times the significands of both scales, and the accumulator are aligned by the
// scales' exponents, truncated to `bits` fractional bits, summed and truncated (MMA-Sim). A NaN
// among the scales is the caller's.
void multiply_blocks(const MatrixProduct& product, const BlockScale* a, const BlockScale* b,
                     int bits);
// Types s8, u8, s4, u4: the low bits of each word. Sums wrap, or saturate once at the end.
void multiply_integers(const MatrixProduct& product, Type a, Type b, bool saturate);
// Words of 32 one-bit elements: counts of the ones of a ^ b or a & b.
void multiply_bits(const MatrixProduct& product, bool exclusive_or);
// c += sums, rounded to nearest even, in f16 or f32.
void add_accumulators(Type type, const std::uint32_t* sums, std::uint32_t* c, int count);
// A chain of fused multiply-adds in order of k, each rounded as asked.
void multiply_doubles(int m, int n, int k, const double* a, const double* b, double* c,
                      Round round);

}  // namespace aisp::sim
