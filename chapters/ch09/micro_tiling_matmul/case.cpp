// C = A * B in fp32, all row-major: how much each byte read is used again, rung by rung.
#include "lab/case/case.hpp"

#include "base/refuse.hpp"
#include "lab/case/references.hpp"
#include "lab/case/registry.hpp"
#include "lab/judge/tolerance.hpp"

namespace {

constexpr std::int64_t largest_extent = 1 << 19;

lab::Problem problem(const lab::Size& size) {
  const auto m = size.dims.at(0), n = size.dims.at(1), k = size.dims.at(2);
  if (n % 4 != 0 || k % 4 != 0)
    base::refuse(base::Exit::usage,
                 "micro_tiling_matmul needs N and K divisible by 4 (it loads 16 "
                 "bytes at a time): got ",
                 m, 'x', n, 'x', k, "; pad to ", m, 'x', (n + 3) / 4 * 4, 'x', (k + 3) / 4 * 4);
  if (m > largest_extent || n > largest_extent || k > largest_extent)
    base::refuse(base::Exit::usage, "micro_tiling_matmul takes extents up to ", largest_extent,
                 ": got ", m, 'x', n, 'x', k, "; split the product");
  lab::Problem made;
  made.size = size;
  made.inputs = {{.name = "a", .shape = {m, k}}, {.name = "b", .shape = {k, n}}};
  made.outputs = {{.tensor = {.name = "c", .shape = {m, n}},
                   .tolerance = lab::accumulation(lab::Dtype::f32, k, 1.0 / 3)}};
  made.flops = 2.0 * static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k);
  made.bytes = static_cast<double>(made.inputs[0].bytes() + made.inputs[1].bytes() +
                                   made.outputs[0].tensor.bytes());
  made.unit = lab::Unit::fma_f32;
  made.reference = [m, n, k](const lab::Inputs& inputs,
                             std::vector<std::vector<double>>& expected) {
    lab::gemm_reference(inputs[0], inputs[1], false, m, n, k, expected[0]);
  };
  return made;
}

const lab::TargetEntry entry{{
    .chapter = "ch09",
    .name = "micro_tiling_matmul",
    .idea = "use each byte more often: shared-memory tiles, register micro-tiles, async copies",
    .aliases = {},
    .axes = {"M", "N", "K"},
    .variants = {""},
    .full = {{.variant = "", .dims = {4096, 4096, 4096}}},
    .quick = {{.variant = "", .dims = {150, 268, 52}}, {.variant = "", .dims = {64, 64, 64}}},
    .problem = problem,
}};

}  // namespace
