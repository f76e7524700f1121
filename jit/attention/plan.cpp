#include "jit/attention/plan.hpp"

#include "jit/attention/dependence.hpp"
#include "jit/attention/index_ranges.hpp"
#include "jit/attention/loaded.hpp"
#include "jit/ir/print.hpp"
#include "tile/device/attention/admit.hpp"
#include "tile/device/attention/decode_params.hpp"
#include "tile/device/attention/forward_params.hpp"
#include "tile/device/launch/kept_plans.hpp"
#include "tile/device/launch/plan_memory.hpp"

namespace aisp::jit {

using tile::device::AttentionProblem;
using tile::device::PlanMemory;

namespace {

bool lengths_vary(const AttentionProblem& p) {
  return p.query_starts != nullptr || p.kv_starts != nullptr || p.kv_lengths != nullptr;
}

}  // namespace

struct FlexPlan::State {
  std::string entry;
  AttentionVariant variant;
  std::vector<char> functions;
  std::shared_ptr<const LoadedText> kernel, mask_kernel;
  tile::AttentionForward forward{};
  tile::DecodeParams decode{};
  tile::BlockMaskParams mask{};
  int blocks = 0;
  bool mask_changes = false;  // it reads memory
  tile::device::OwnedMemory owned;

  template <class... Arguments>
  static void launch(const LoadedText& text, const std::string& entry, cudaStream_t stream,
                     const LaunchShape& shape, const std::vector<char>& functions,
                     const Arguments&... others) {
    // The functions are the second argument of all.
    const Argument given[] = {Argument{&others, static_cast<int>(sizeof others)}...};
    std::vector<Argument> all{given[0], {functions.data(), static_cast<int>(functions.size())}};
    for (std::size_t at = 1; at < sizeof...(others); ++at) all.push_back(given[at]);
    text.module.kernel(entry).launch(stream, shape, all);
  }

  void make_mask(cudaStream_t stream) const {
    launch(*mask_kernel, mask_kernel->entry, stream,
           {.grid = static_cast<unsigned>(mask.lists.count()), .block = tile::block_mask_threads},
           functions, mask);
  }
  void plan_forward(const AttentionProblem& problem, PlanMemory& memory);
  void plan_lists(const AttentionProblem& problem, PlanMemory& memory);
  void plan_decode(const AttentionProblem& problem, PlanMemory& memory);
  void run_decode(cudaStream_t stream) const;
};

void FlexPlan::State::plan_forward(const AttentionProblem& problem, PlanMemory& memory) {
  const tile::AttentionConfig& config = variant.config;
  forward.params = tile::device::attention_params(config, problem);
  AttentionProblem ordered = problem;
  if (config.listed) ordered.window_right = 0;  // rows differ in length: as causal ones
  forward.tiles = tile::device::tiles_of(ordered, config.block_rows());
  if (config.listed) forward.tiles.last_rows_first = false;
  const int tiles = forward.tiles.count();
  const int fit = kernel->resident(entry, config.threads(), config.shared_bytes());
  blocks = std::min(tiles, fit);
  if (blocks < tiles)
    forward.next =
        static_cast<unsigned*>(memory.cleared(2 * sizeof(unsigned), 2 * sizeof(unsigned)));
  if (config.listed) plan_lists(problem, memory);
}

void FlexPlan::State::plan_lists(const AttentionProblem& problem, PlanMemory& memory) {
  const Function& function = variant.form.function;
  const unsigned on = dependences(function)[static_cast<std::size_t>(mask_of(function))];
  const bool vary = lengths_vary(problem);
  tile::AttentionLists& lists = mask.lists;
  lists.row_tiles = forward.tiles.row_tiles;
  lists.heads = (on & depends::head) != 0 ? problem.query_heads : 1;
  lists.sequences = vary || (on & depends::sequence) != 0 ? problem.batch : 1;
  const int block_keys = variant.config.block_keys;
  lists.stride = std::max(1, (problem.kv_rows + block_keys - 1) / block_keys);
  const auto count = static_cast<std::size_t>(lists.count());
  const std::size_t entries = count * static_cast<std::size_t>(lists.stride);
  auto* at = static_cast<unsigned*>(
      memory.cleared((1 + 2 * count + entries) * sizeof(unsigned), sizeof(unsigned)));
  lists.done = at;
  lists.counts = reinterpret_cast<int*>(at + 1);
  lists.order = lists.counts + count;
  lists.entries = at + 1 + 2 * count;
  mask.sequences = forward.params.sequences;
  mask_changes = vary || (on & depends::memory) != 0;
}

void FlexPlan::State::plan_decode(const AttentionProblem& problem, PlanMemory& memory) {
  using namespace tile;
  const DecodeConfig config{problem.q.element, problem.head_size};
  decode.problem = device::decode_problem(problem);
  decode.pages = device::decode_pages(problem);
  if (problem.kv_rows > 0) {
    decode.k = device::decode_map(problem.k, problem, decode.pages.box_rows);
    decode.v = device::decode_map(problem.v, problem, decode.pages.box_rows);
  }
  DecodeWork& work = decode.problem.work;
  const int tiles = std::max(1, (problem.kv_rows + decode_tile_keys - 1) / decode_tile_keys);
  const std::int64_t heads = std::int64_t{problem.batch} * problem.kv_heads;
  const int fit = kernel->resident(entry, config.threads(), config.shared_bytes());
  work.blocks = static_cast<int>(std::min<std::int64_t>(fit, heads * tiles));
  work.whole = device::decode_whole_heads(heads, tiles, work.blocks);
  if (work.whole) return;
  const std::size_t slots = 2 * static_cast<std::size_t>(work.blocks * decode.problem.rows);
  const std::size_t accumulators =
      slots * sizeof(float) * static_cast<std::size_t>(config.head_size);
  auto* workspace = static_cast<char*>(memory.get(accumulators + slots * sizeof(float2)));
  decode.problem.partial_accumulators = reinterpret_cast<float*>(workspace);
  decode.problem.partial_weights = reinterpret_cast<float2*>(workspace + accumulators);
}

void FlexPlan::State::run_decode(cudaStream_t stream) const {
  const tile::DecodeWork& work = decode.problem.work;
  const tile::DecodeConfig config{variant.config.element, variant.config.head_size};
  launch(*kernel, entry, stream,
         {.grid = static_cast<unsigned>(work.blocks),
          .block = static_cast<unsigned>(config.threads()),
          .shared_bytes = static_cast<std::size_t>(config.shared_bytes())},
         functions, decode);
  if (work.whole) return;
  const tile::CombineParams params{decode.problem, config.head_size, config.element};
  const Argument argument{&params, static_cast<int>(sizeof params)};
  kernel->module.kernel("flex_combine")
      .launch(stream,
              {.grid = dim3(static_cast<unsigned>(work.batch * work.kv_heads),
                            static_cast<unsigned>(decode.problem.rows)),
               .block = 128},
              {&argument, 1});
}

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
  if (state_->variant.decode) return state_->run_decode(stream);
  const tile::AttentionConfig& config = state_->variant.config;
  State::launch(*state_->kernel, state_->entry, stream,
                {.grid = static_cast<unsigned>(state_->blocks),
                 .block = static_cast<unsigned>(config.threads()),
                 .shared_bytes = static_cast<std::size_t>(config.shared_bytes())},
                state_->functions, state_->forward, state_->mask.lists);
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

struct FlexAttention::State {
  ScoreFunctions functions;
  FlexOptions options;
  LoadedTexts loaded;
  tile::device::KeptPlans<AttentionProblem, FlexPlan> kept;
};

FlexAttention::FlexAttention(ScoreFunctions functions, FlexOptions options)
    : state_(new State{std::move(functions), std::move(options), {}, {}}) {}

const ScoreFunctions& FlexAttention::functions() const { return state_->functions; }

FlexPlan FlexAttention::plan(const AttentionProblem& given,
                             const tile::device::Allocate& allocate) const {
  if (!tile::device::admit(given)) return FlexPlan(nullptr);
  if (given.q.element == tile::Element::e4m3)
    base::refuse(base::Exit::usage,
                 "attention: functions of scores are for bf16 and f16: got e4m3; convert q, k, v");
  AttentionProblem problem = given;
  auto made = std::make_shared<FlexPlan::State>();
  made->variant = choose_variant(state_->functions,
                                 {.precise = state_->options.precise,
                                  .every_block = state_->options.every_block,
                                  .polynomials = state_->options.polynomials},
                                 problem);
  refuse_short_arrays(made->variant.form.function, state_->functions.arrays(), problem);
  made->functions = function_bytes(made->variant, state_->functions.arrays(), problem);
  const AttentionVariant& variant = made->variant;
  std::vector<AttentionText> texts{variant.decode ? decode_text(variant) : forward_text(variant)};
  if (variant.config.listed) texts.push_back(block_mask_text(variant));
  const auto kernels = state_->loaded.get(texts, state_->options);
  made->kernel = kernels[0];
  made->entry = texts[0].entry;
  if (variant.config.listed) made->mask_kernel = kernels[1];
  PlanMemory memory(allocate);
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

void FlexAttention::operator()(const AttentionProblem& problem, cudaStream_t stream) const {
  state_->kept.find_or_make(problem, stream, [&](const AttentionProblem& one) { return plan(one); })
      .run(stream);
}

}  // namespace aisp::jit
