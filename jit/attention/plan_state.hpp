// What a plan of attention with functions is made of.
#pragma once

#include "jit/attention/loaded.hpp"
#include "jit/attention/plan.hpp"
#include "tile/device/attention/decode_params.hpp"
#include "tile/device/attention/forward_params.hpp"
#include "tile/device/launch/plan_memory.hpp"

namespace aisp::jit {

struct FlexPlan::State {
  std::string entry;
  AttentionVariant variant;
  std::vector<char> functions, mask_functions;
  std::shared_ptr<const LoadedText> kernel, mask_kernel;
  tile::AttentionForward forward{};
  tile::DecodeParams decode{};
  tile::BlockMaskParams mask{};
  int blocks = 0;
  bool mask_changes = false;  // it reads memory
  void* found_nan = nullptr;  // a FoundNan, where the kernel looks for it
  std::string score_place;    // the user's
  double scale = 1;           // of scores
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
           mask_functions, mask);
  }
  void plan_forward(const tile::device::AttentionProblem& problem,
                    tile::device::PlanMemory& memory);
  void plan_lists(const tile::device::AttentionProblem& problem, tile::device::PlanMemory& memory);
  void plan_decode(const tile::device::AttentionProblem& problem, tile::device::PlanMemory& memory);
  void run_forward(cudaStream_t stream) const;
  void run_decode(cudaStream_t stream) const;
};

}  // namespace aisp::jit
