// The product of ch10:matmul over shapes that want different recipes, in bf16 and in fp8 (e4m3 in,
// bf16 out): square ones, a short K, a long K with few tiles, and few rows.
#include "lab/case/registry.hpp"
#include "lab/judge/gemm_problem.hpp"

using namespace aisp;

namespace {

lab::Problem problem(const lab::Size& size) {
  return lab::gemm_problem("matmul_recipes", size, lab::gemm_types(size.variant), lab::GemmB::nk);
}

lab::Target target() {
  lab::Target target;
  target.chapter = "ch10";
  target.name = "matmul_recipes";
  target.idea = "which recipe when: the shape chooses tile, schedule and split";
  target.shows_nowhere = "how many multiprocessors work at once and what L2 holds";
  target.axes = {"M", "N", "K"};
  target.variants = {"bf16", "fp8"};
  for (const auto& variant : target.variants) {
    for (const std::vector<std::int64_t>& dims :
         std::vector<std::vector<std::int64_t>>{{8192, 8192, 8192},
                                                {4096, 4096, 4096},
                                                {4096, 4096, 8192},
                                                {2048, 2048, 2048},
                                                {1024, 1024, 1024},
                                                {8192, 8192, 512},
                                                {512, 512, 16384},
                                                {16384, 16384, 1024},
                                                {16, 8192, 8192},
                                                {128, 8192, 8192}})
      target.full.push_back({variant, dims});
    // The same kinds, small: many tiles with a short K, few with a long one, few rows, one row.
    for (const std::vector<std::int64_t>& dims : std::vector<std::vector<std::int64_t>>{
             {264, 400, 336}, {520, 656, 80}, {136, 144, 1040}, {16, 528, 528}, {1, 272, 336}})
      target.quick.push_back({variant, dims});
  }
  target.problem = problem;
  return target;
}

const lab::TargetEntry entry{target()};

}  // namespace
