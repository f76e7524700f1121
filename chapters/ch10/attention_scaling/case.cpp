// How attention's cost grows with the length of the sequence, the size of a head and the number of
// heads: the ladder's first and last kernel of ch10:flash_attention over S from 512 to 32768.
#include "chapters/ch10/common/attention_sizes.hpp"
#include "lab/case/registry.hpp"

using namespace aisp;

namespace {

// S, D, B, H
enum Axis { rows, head_size, batch, heads };
constexpr std::int64_t usual_heads = 4;

lab::Problem problem(const lab::Size& size) {
  const auto& dims = size.dims;
  return ch10::ladder_attention("attention_scaling", size, dims.at(batch), dims.at(heads),
                                dims.at(heads), dims.at(rows), dims.at(head_size));
}

// One sequence: S alone decides how much there is to do.
void complete(lab::Size& size, const std::vector<bool>& given) {
  if (!given.at(batch)) size.dims.at(batch) = 1;
  if (!given.at(heads)) size.dims.at(heads) = usual_heads;
}

lab::Target target() {
  lab::Target target;
  target.chapter = "ch10";
  target.name = "attention_scaling";
  target.idea = "how attention's cost grows with length, head size and heads";
  target.shows_nowhere = "it compares sizes: see how instructions and L2 bytes grow";
  target.aliases = {{"analyze_scaling", ""}};
  target.axes = {"S", "D", "B", "H"};
  target.variants = {""};
  for (const std::int64_t size : {64, 128})
    for (std::int64_t length = 512; length <= 32768; length *= 2)
      target.full.push_back({"", {length, size, 1, usual_heads}});
  for (const std::int64_t count : {1, 16, 64}) target.full.push_back({"", {4096, 128, 1, count}});
  target.quick = {{"", {72, 64, 1, 2}}, {"", {264, 64, 1, 3}}, {"", {136, 128, 1, 5}}};
  target.complete = complete;
  target.problem = problem;
  return target;
}

const lab::TargetEntry entry{target()};

}  // namespace
