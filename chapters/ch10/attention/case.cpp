// o = softmax(q k' / sqrt(D)) v for every head, bf16: as three kernels with the scores in memory
// between them, and as one that never stores a score.
#include "chapters/ch10/common/attention_sizes.hpp"
#include "lab/case/registry.hpp"

using namespace aisp;

namespace {

// B, H, S, D
enum Axis { batch, heads, rows, head_size };

lab::Problem problem(const lab::Size& size) {
  const auto& dims = size.dims;
  // The rungs that materialise the scores keep them as f32 and the weights as bf16.
  constexpr double most_gib = 48;
  const double gib = 6.0 * static_cast<double>(dims.at(batch) * dims.at(heads)) *
                     static_cast<double>(dims.at(rows)) * static_cast<double>(dims.at(rows)) /
                     (1 << 30);
  if (gib > most_gib)
    base::refuse(base::Exit::usage, "attention stores scores and weights of ", most_gib,
                 " GiB at most: ", size.label(), " has ", gib,
                 " GiB; ch10:flash_attention stores none");
  return ch10::ladder_attention("attention", size, dims.at(batch), dims.at(heads), dims.at(heads),
                                dims.at(rows), dims.at(head_size));
}

const lab::TargetEntry entry{{
    .chapter = "ch10",
    .name = "attention",
    .idea = "softmax fused with both products: the scores never reach memory",
    .shows_in = lab::Count::l2_bytes,
    .aliases = {},
    .axes = {"B", "H", "S", "D"},
    .variants = {""},
    .full = {{"", {16, 16, 1024, 64}}},
    // Rows of scores that are no multiple of 16 bytes; more than one segment of a row per warp.
    .quick = {{"", {2, 3, 77, 64}}, {"", {1, 4, 200, 128}}, {"", {1, 1, 1100, 64}}},
    .problem = problem,
}};

}  // namespace
