#include <functional>
#include <mutex>

#include "jit/attention/find_nan.hpp"
#include "jit/attention/index_ranges.hpp"
#include "jit/attention/plan_state.hpp"
#include "tile/device/attention/admit.hpp"
#include "tile/device/attention/key.hpp"
#include "tile/device/launch/plan_cache.hpp"

namespace aisp::jit {

using tile::device::AttentionProblem;
using tile::device::PlanMemory;
using tile::device::ProblemKey;

struct FlexAttention::State {
  ScoreFunctions functions;
  FlexOptions options;
  std::shared_ptr<LoadedTexts> loaded;
  // A block mask may be part of the workspace.
  tile::device::PlanCache<FlexPlan> plans{tile::device::WorkspaceSharing::none};
};

FlexAttention::FlexAttention(ScoreFunctions functions, FlexOptions options)
    : state_(new State{std::move(functions), std::move(options), std::make_shared<LoadedTexts>()}) {
}

FlexAttention::FlexAttention(const FlexAttention& like, ScoreFunctions functions)
    : state_(new State{std::move(functions), like.state_->options, like.state_->loaded}) {}

const ScoreFunctions& FlexAttention::functions() const { return state_->functions; }

FlexPlan FlexAttention::plan(const AttentionProblem& given,
                             const tile::device::Allocate& allocate) const {
  if (!tile::device::admit_hopper(given)) return FlexPlan(nullptr);
  if (given.q.element == tile::Element::e4m3)
    base::refuse(base::Exit::usage,
                 "attention: functions of scores are for bf16 and f16: got e4m3; convert q, k, v");
  AttentionProblem problem = given;
  auto made = std::make_shared<FlexPlan::State>();
  made->variant = choose_variant(state_->functions,
                                 {.precise = state_->options.precise,
                                  .every_block = state_->options.every_block,
                                  .find_nan = state_->options.find_nan,
                                  .polynomials = state_->options.polynomials},
                                 problem);
  refuse_short_arrays(made->variant.form.function, state_->functions.arrays(), problem);
  const AttentionVariant& variant = made->variant;
  std::vector<AttentionText> texts{variant.decode ? decode_text(variant) : forward_text(variant)};
  if (variant.config.listed) texts.push_back(block_mask_text(variant));
  const auto kernels = state_->loaded->get(texts, state_->options);
  made->kernel = kernels[0];
  made->entry = texts[0].entry;
  if (variant.config.listed) made->mask_kernel = kernels[1];
  PlanMemory memory(allocate);
  if (variant.finds_nan) made->found_nan = memory.cleared(sizeof(FoundNan), sizeof(FoundNan));
  const auto& arrays = state_->functions.arrays();
  made->functions = function_bytes(variant, arrays, problem, made->found_nan);
  AttentionVariant of_mask = variant;
  of_mask.finds_nan = false;
  made->mask_functions = function_bytes(of_mask, arrays, problem);
  made->score_place = state_->functions.score_place();
  made->scale = score_scale(problem);
  if (variant.decode)
    made->plan_decode(problem, memory);
  else
    made->plan_forward(problem, memory);
  made->owned = memory.take();
  const FlexPlan plan{std::move(made)};
  if (plan.has_block_mask() && !plan.state_->mask_changes)
    PlanMemory::write([&](cudaStream_t stream) {
      plan.make_block_mask(stream);
      return cudaGetLastError();
    });
  return plan;
}

namespace {

// What functions are found by, but their text.
void add_functions(ProblemKey& key, const ScoreFunctions& functions, const FlexOptions& options) {
  key.add(std::hash<std::string>()(functions.text()), options.precise, options.every_block,
          options.find_nan, options.polynomials, options.architecture, options.store);
  for (const BoundArray& array : functions.arrays()) key.add(array.data, array.count);
}

}  // namespace

void attention(const ScoreFunctions& functions, const AttentionProblem& problem,
               cudaStream_t stream, const FlexOptions& options) {
  // Never destroyed, the runtime may be gone before them.
  static auto& compiled = *new tile::device::LastUsed<FlexAttention>();
  static auto& guard = *new std::mutex();
  ProblemKey key;
  add_functions(key, functions, options);
  tile::device::LastUsed<FlexAttention>::Evicted evicted;
  const auto find_or_make = [&] {
    const std::lock_guard lock(guard);
    const auto same = [&](const FlexAttention& one) {
      return one.functions().text() == functions.text();
    };
    if (const FlexAttention* found = compiled.find(key, same)) return *found;
    FlexAttention made(functions, options);
    evicted = compiled.add(key, made);
    return made;
  };
  find_or_make()(problem, stream);
  if (evicted.empty()) return;
  const tile::device::BesideCapture beside;  // memory is freed, and kernels are unloaded
  evicted.clear();
}

void FlexAttention::operator()(const AttentionProblem& problem, cudaStream_t stream) const {
  state_->plans.run(ProblemKey(problem), stream, [&](const tile::device::Allocate& allocate) {
    return plan(problem, allocate);
  });
}

}  // namespace aisp::jit
