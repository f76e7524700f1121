// The products of Blackwell's attention, issued by one thread: scores from shared memory, outputs
// from weights in tensor memory and values in shared memory.
#pragma once

#include "tile/arch/tcgen05_mma.cuh"
#include "tile/collective/attention/shared_sm100.cuh"
#include "tile/collective/mainloop/tcgen05_operand.cuh"

namespace aisp::tile {

template <Sm100AttentionConfig config>
class Sm100AttentionProducts {
 public:
  TILE_DEVICE explicit Sm100AttentionProducts(Sm100AttentionShared<config>& shared)
      : shared_(shared), keys_(shared.keys, {}), values_(shared.values, {}) {
    for (RingState<1>& one : at_output_) one = RingState<1>::writer();
  }

  TILE_DEVICE void wait_keys() { keys_.wait(at_keys_); }
  TILE_DEVICE void wait_values() { values_.wait(at_values_); }
  // When the products that were issued so far have read them.
  TILE_DEVICE void release_keys() {
    keys_.release(at_keys_);
    ++at_keys_;
  }
  TILE_DEVICE void release_values() {
    values_.release(at_values_);
    ++at_values_;
  }

  // scores (TILE_Q, BLK_KV) = Q (TILE_Q, HEAD) K (BLK_KV, HEAD)'. The tile's softmax has read those
  // before: their weights have come.
  TILE_DEVICE void multiply_keys(int tile, bool first, bool last) {
    using Atom = Tcgen05<config.element, config.element, config.tile_rows, config.block_keys>;
    constexpr OperandTile q_tile = operands.q_tile(), k_tile = operands.k_tile();
    constexpr std::uint32_t what = Atom::descriptor(Major::k, Major::k);
    Tcgen05Ring<1> queries(shared_.queries[tile], {});
    if (first) queries.wait(at_queries_[tile]);
    const std::uint64_t a = tcgen05_operand<q_tile>(shared_.q[tile]);           // (TILE_Q, HEAD)
    const std::uint64_t b = tcgen05_operand<k_tile>(shared_.k[at_keys_.slot]);  // (BLK_KV, HEAD)
#pragma unroll
    for (int step = 0; step < k_tile.steps(); ++step)
      arch::tcgen05<Atom::kind, 1>(shared_.scores_of(tile), a + tcgen05_step<q_tile>(step),
                                   b + tcgen05_step<k_tile>(step), what, step > 0);
    arch::tcgen05_commit<1>(&shared_.scores[tile]);
    if (!last) return;
    queries.release(at_queries_[tile]);
    ++at_queries_[tile];
  }

  // output (TILE_Q, HEAD) (+)= P (TILE_Q, BLK_KV) V (HEAD, BLK_KV)', part by part of P.
  TILE_DEVICE void multiply_values(int tile, bool add) {
    using Atom = Tcgen05<config.element, config.element, config.tile_rows, config.head_size>;
    constexpr OperandTile v_tile = operands.v_tile();
    constexpr std::uint32_t what = Atom::descriptor(Major::k, Major::mn);
    constexpr int chunk_steps = config.chunk_keys / Atom::k;
    Tcgen05OutputRing<config> output = shared_.output(tile);
    RingState<1>& at = at_output_[tile];
    output.acquire(at);  // corrected, or stored
    const std::uint64_t b = tcgen05_operand<v_tile>(shared_.v[at_values_.slot]);  // (HEAD, BLK_KV)
#pragma unroll
    for (int part = 0; part < config.weight_parts; ++part) {
      arch::mbarrier_wait(&shared_.weights[tile][part], at.phase ^ 1);
      arch::tcgen05_fence_after_sync();
#pragma unroll
      for (int step = config.first_chunk(part) * chunk_steps;
           step < config.end_chunk(part) * chunk_steps; ++step)
        arch::tcgen05_from_tmem<Atom::kind, 1>(
            output.columns_of(at), arch::tmem_at(shared_.weights_of(tile), 0, step * Atom::k / 2),
            b + tcgen05_step<v_tile>(step), what, add || step > 0);
    }
    output.commit(at);
    ++at;
  }

 private:
  static constexpr Sm90AttentionConfig operands = config.operands();

  Sm100AttentionShared<config>& shared_;
  Tcgen05Ring<config.key_stages> keys_;
  Tcgen05Ring<config.value_stages> values_;
  RingState<config.key_stages> at_keys_ = RingState<config.key_stages>::reader();
  RingState<config.value_stages> at_values_ = RingState<config.value_stages>::reader();
  RingState<1> at_queries_[config.query_tiles], at_output_[config.query_tiles];
};

}  // namespace aisp::tile
