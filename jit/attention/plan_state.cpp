#include "jit/attention/plan_state.hpp"

#include "jit/attention/dependence.hpp"

namespace aisp::jit {

using tile::device::AttentionProblem;
using tile::device::PlanMemory;

namespace {

bool lengths_vary(const AttentionProblem& p) {
  return p.query_starts != nullptr || p.kv_starts != nullptr || p.kv_lengths != nullptr;
}

}  // namespace

void FlexPlan::State::plan_forward(const AttentionProblem& problem, PlanMemory& memory) {
  const tile::Sm90AttentionConfig& config = variant.config;
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

void FlexPlan::State::run_forward(cudaStream_t stream) const {
  const tile::Sm90AttentionConfig& config = variant.config;
  launch(*kernel, entry, stream,
         {.grid = static_cast<unsigned>(blocks),
          .block = static_cast<unsigned>(config.threads()),
          .shared_bytes = static_cast<std::size_t>(config.shared_bytes())},
         functions, forward, mask.lists);
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

}  // namespace aisp::jit
