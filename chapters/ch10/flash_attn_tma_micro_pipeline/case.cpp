// Fused attention on one tile, 128 queries and 128 keys of 128 elements, by one kernel without
// roles: only the number of blocks of keys that TMA has under way changes.
#include "chapters/ch10/common/attention_sizes.hpp"
#include "lab/case/registry.hpp"

using namespace aisp;

namespace {

constexpr const char* name = "flash_attn_tma_micro_pipeline";

// S, D, B, H
enum Axis { rows, head_size, batch, heads };

lab::Problem problem(const lab::Size& size) {
  const auto& dims = size.dims;
  if (dims.at(head_size) != 128)
    base::refuse(base::Exit::usage, name, " has kernels for heads of 128 elements: got D ",
                 dims.at(head_size), "; ch10:flash_attention takes 64 too");
  return ch10::ladder_attention(name, size, dims.at(batch), dims.at(heads), dims.at(heads),
                                dims.at(rows), dims.at(head_size));
}

void complete(lab::Size& size, const std::vector<bool>& given) {
  auto& dims = size.dims;
  if (!given.at(batch)) dims.at(batch) = ch10::batch_for(dims.at(rows));
  if (!given.at(heads)) dims.at(heads) = ch10::heads_for(dims.at(head_size));
}

const lab::TargetEntry entry{{
    .chapter = "ch10",
    .name = name,
    .idea = "copies of keys and values under the products: one, two, three stages",
    .shows_nowhere = "the latency of memory, which stages hide",
    .aliases = {},
    .axes = {"S", "D", "B", "H"},
    .variants = {""},
    .full = {{"", {4096, 128, 4, 16}}},
    // More than one lap of three stages, ragged; one block of keys alone.
    .quick = {{"", {400, 128, 1, 3}}, {"", {72, 128, 3, 3}}},
    .complete = complete,
    .problem = problem,
}};

}  // namespace
