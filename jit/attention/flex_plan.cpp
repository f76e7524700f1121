#include "jit/attention/plan.hpp"

#include "jit/attention/find_nan.hpp"
#include "jit/attention/plan_state.hpp"
#include "jit/ir/print.hpp"

namespace aisp::jit {

void FlexPlan::run(cudaStream_t stream) const {
  if (state_ == nullptr) return;
  if (state_->mask_changes) make_block_mask(stream);
  attend(stream);
}

void FlexPlan::make_block_mask(cudaStream_t stream) const {
  if (has_block_mask()) state_->make_mask(stream);
}

void FlexPlan::attend(cudaStream_t stream) const {
  if (state_ == nullptr) return;
  if (state_->variant.decode)
    state_->run_decode(stream);
  else
    state_->run_forward(stream);
  if (state_->found_nan != nullptr)
    refuse_nan(state_->found_nan, stream, state_->score_place, state_->scale);
}

bool FlexPlan::has_block_mask() const {
  return state_ != nullptr && state_->mask_kernel != nullptr;
}

BlockMaskCopy FlexPlan::block_mask() const {
  BlockMaskCopy made;
  if (!has_block_mask()) return made;
  const tile::AttentionLists& lists = state_->mask.lists;
  const auto count = static_cast<std::size_t>(lists.count());
  const auto stride = static_cast<std::size_t>(lists.stride);
  std::vector<int> counts(count);
  std::vector<unsigned> entries(count * stride);
  const auto copy = [](auto& to, const void* from) {
    refuse_runtime(cudaMemcpy(to.data(), from, to.size() * 4, cudaMemcpyDeviceToHost),
                   "copy of a block mask");
  };
  made.order.resize(count);
  copy(counts, lists.counts);
  copy(made.order, lists.order);
  copy(entries, lists.entries);
  for (std::size_t list = 0; list < count; ++list) {
    const auto from = entries.begin() + static_cast<std::ptrdiff_t>(list * stride);
    made.lists.emplace_back(from, from + counts[list]);
  }
  made.row_tiles = lists.row_tiles;
  made.blocks = lists.stride;
  made.warpgroups = state_->variant.config.math_warpgroups;
  return made;
}

BlockMaskCopy::Count BlockMaskCopy::count() const {
  Count found{.all = static_cast<std::int64_t>(lists.size()) * blocks};
  for (const auto& list : lists)
    for (const unsigned entry : list) {
      bool whole = true;
      for (int warpgroup = 0; warpgroup < warpgroups; ++warpgroup)
        whole = whole && tile::sees_all(entry, warpgroup);
      ++found.seen;
      found.whole += whole ? 1 : 0;
    }
  return found;
}

const std::string& FlexPlan::kernel() const {
  static const std::string nothing = "nothing";
  return state_ == nullptr ? nothing : state_->entry;
}
const AttentionVariant& FlexPlan::variant() const { return state_->variant; }

std::vector<Inspection> FlexPlan::inspect() const {
  std::vector<Inspection> all;
  if (state_ == nullptr) return all;
  for (const auto* text : {state_->kernel.get(), state_->mask_kernel.get()}) {
    if (text == nullptr) continue;
    Inspection one;
    one.program = "flex_attention";
    one.kernel = text->entry;
    one.architecture = text->architecture;
    one.passes = {{"normal_form", print(state_->variant.form.function)}};
    one.schedule = state_->variant.decode ? "decode" : "forward";
    one.kernel_text = one.text = text->code;
    one.compiled = text->compiled;
    all.push_back(std::move(one));
  }
  return all;
}

}  // namespace aisp::jit
