// Rung 0: the scores go to memory, are changed there, masked there, and come back as weights.
#include "chapters/ch14/common/scores_in_memory_rung.cuh"
#include "lab/case/registry.hpp"

using namespace aisp;

namespace {

using namespace ch14;

__global__ void __launch_bounds__(stored_threads)
    flex_attention_sparse_change(const StoredScores all) {
  each_stored(all, [&](float score, int head, int query, int key) {
    return all.changed(score, head, query, key);
  });
}
__global__ void __launch_bounds__(stored_threads)
    flex_attention_sparse_hide(const StoredScores all) {
  each_stored(all, [&](float score, int, int query, int key) {
    return key < all.sequence_rows && !all.sees(query, key) ? -INFINITY : score;
  });
}
__global__ void __launch_bounds__(stored_threads)
    flex_attention_sparse_softmax(const StoredScores all) {
  softmax_stored(all);
}

lab::Run prepare(lab::Setup& setup) {
  return prepare_stored(setup, {flex_attention_sparse_change, flex_attention_sparse_hide,
                                flex_attention_sparse_softmax});
}

const lab::RungEntry entry{
    "ch14:flex_attention_sparse",
    {.name = "scores_in_memory",
     .step = 0,
     .builds_on = "",
     .idea = "product, a kernel for the function, one for the mask, softmax, product",
     .look_at = "three to five launches; every score crosses memory up to seven times",
     .needs = lab::Needs::sm_90a,
     .prepare = prepare}};

}  // namespace
