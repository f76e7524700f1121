// C (M, N) = A (M, K) times the transpose of B (N, K) in NVFP4: e2m1 with a factor (ue4m3) for 16
// elements of a row, bf16 out. Inputs are codes, two in a byte, and factors in blocks of 128 x 4,
// drawn as such: every code is as likely as any other.
#pragma once

#include "base/number/format.hpp"
#include "base/refuse.hpp"
#include "chapters/ch09/common/nvfp4_inputs.hpp"
#include "lab/case/references.hpp"
#include "lab/judge/gemm_problem.hpp"
#include "tile/atom/block_scale.hpp"

namespace aisp::ch09::nvfp4 {

// Factors from a half to two, by their codes.
inline constexpr lab::Uniform scale_codes{0x30, 0x40};
inline constexpr double scale_rms = 1.17, element_rms = 2.93;  // of such draws

inline lab::HostTensor numbers(const lab::HostTensor& codes, const lab::HostTensor& scales,
                               std::int64_t rows, std::int64_t k) {
  constexpr float magnitudes[] = {0, 0.5f, 1, 1.5f, 2, 3, 4, 6};
  const tile::ScaleExtent extent{rows, k, tile::Scaling::nv};
  lab::HostTensor decoded{{.name = codes.what.name, .dtype = lab::Dtype::f32, .shape = {rows, k}},
                          std::vector<std::byte>(static_cast<std::size_t>(rows * k) * 4)};
  const auto bytes = codes.as<std::uint8_t>(), factors = scales.as<std::uint8_t>();
  auto* const to = reinterpret_cast<float*>(decoded.data.data());
  for (std::int64_t row = 0; row < rows; ++row)
    for (std::int64_t at = 0; at < k; ++at) {
      const auto index = static_cast<std::size_t>(row * k + at);
      const unsigned code = bytes[index / 2] >> (index % 2 * 4) & 15;
      const double factor =
          base::decode<base::e4m3>(factors[static_cast<std::size_t>(extent.offset(row, at / 16))]);
      to[index] = static_cast<float>((code & 8 ? -1 : 1) * magnitudes[code & 7] * factor);
    }
  return decoded;
}

inline lab::Problem problem(const std::string& target, const lab::Size& size) {
  const auto m = size.dims.at(0), n = size.dims.at(1), k = size.dims.at(2);
  if (n % 8 != 0 || k % 32 != 0)
    base::refuse(base::Exit::usage, target,
                 " needs N divisible by 8 and K by 32 (16-byte rows): got ", m, 'x', n, 'x', k,
                 "; pad to ", m, 'x', (n + 7) / 8 * 8, 'x', (k + 31) / 32 * 32);
  lab::refuse_bad_extents(target, m, n, k, lab::Dtype::bf16);
  const auto factors = [&](std::int64_t rows) {
    return tile::ScaleExtent{rows, k, tile::Scaling::nv}.bytes();
  };
  lab::Problem problem;
  problem.size = size;
  constexpr lab::Uniform any{0, 255};
  problem.inputs = {
      {.name = "a", .dtype = lab::Dtype::u8, .shape = {m, k / 2}, .values = any},
      {.name = "a_scales", .dtype = lab::Dtype::u8, .shape = {factors(m)}, .values = scale_codes},
      {.name = "b", .dtype = lab::Dtype::u8, .shape = {n, k / 2}, .values = any},
      {.name = "b_scales", .dtype = lab::Dtype::u8, .shape = {factors(n)}, .values = scale_codes}};
  // 64 products and the sum so far are cut below 2^-35 of the largest, then rounded toward zero.
  constexpr lab::Accumulator adds{.epsilon = 0x1p-23, .truncates = true, .step = 64};
  const double rms = element_rms * element_rms * scale_rms * scale_rms;
  problem.outputs = {{.tensor = {.name = "c", .dtype = lab::Dtype::bf16, .shape = {m, n}},
                      .tolerance = lab::accumulation(lab::Dtype::bf16, k, rms, adds)}};
  problem.flops = 2.0 * static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k);
  problem.bytes = lab::bytes_once(problem);
  problem.reference = [m, n, k](const lab::Inputs& in, std::vector<std::vector<double>>& expected) {
    lab::gemm_reference(numbers(in[a], in[a_scales], m, k), numbers(in[b], in[b_scales], n, k),
                        true, m, n, k, expected[0]);
  };
  return problem;
}

// Edges in every direction, more k-blocks of 256 than a ring of six, and fewer than one.
inline const std::vector<lab::Size> quick{{"", {136, 264, 1888}}, {"", {40, 72, 96}}};
inline const std::vector<lab::Size> full{
    {"", {128, 7168, 16384}}, {"", {128, 4096, 7168}}, {"", {128, 7168, 2048}}};

}  // namespace aisp::ch09::nvfp4
