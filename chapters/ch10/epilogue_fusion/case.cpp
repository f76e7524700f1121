// A product and the work on its result. Variants: `plain` is the product alone, what the others
// cost is read against it; `silu` adds bias and SiLU and takes the largest magnitude; `fp8` scales
// and quantises on top and stores SiLU's argument.
#include "base/refuse.hpp"
#include "lab/case/registry.hpp"
#include "lab/judge/epilogue_problem.hpp"

using namespace aisp;

namespace {

lab::Epilogue epilogue_of(const std::string& variant) {
  if (variant == "plain") return lab::Epilogue::none;
  if (variant == "silu") return lab::Epilogue::silu;
  if (variant == "fp8") return lab::Epilogue::quantise;
  base::refuse(base::Exit::usage, "epilogue_fusion has no variant '", variant,
               "'; it has plain, silu and fp8");
}

lab::Problem problem(const lab::Size& size) {
  return lab::epilogue_problem("epilogue_fusion", size, epilogue_of(size.variant));
}

lab::Target target() {
  lab::Target target;
  target.chapter = "ch10";
  target.name = "epilogue_fusion";
  target.idea = "bias, activation, amax and quantisation while the result is still in registers";
  target.shows_in = lab::Count::launches;
  target.aliases = {{"matmul_tcgen05_epilogue", "silu"}, {"warp_spec_pingpong", "silu"}};
  target.axes = {"M", "N", "K"};
  target.variants = {"plain", "silu", "fp8"};
  for (const auto& variant : target.variants) {
    // A short K, where the epilogue is the larger part, and a long one.
    target.full.push_back({variant, {4096, 4096, 256}});
    target.full.push_back({variant, {4096, 4096, 4096}});
    target.quick.push_back({variant, {136, 272, 336}});
    target.quick.push_back({variant, {520, 400, 80}});
  }
  target.problem = problem;
  return target;
}

const lab::TargetEntry entry{target()};

}  // namespace
