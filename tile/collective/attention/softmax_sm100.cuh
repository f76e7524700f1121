// The softmax of Blackwell's attention: a thread has a row of scores, which it reads from tensor
// memory and gives back there as weights, the operand of the second product.
#pragma once

#include "tile/arch/math.cuh"
#include "tile/arch/packed_f32.cuh"
#include "tile/arch/tcgen05_transfer.cuh"
#include "tile/atom/convert.hpp"
#include "tile/collective/attention/config_sm100.hpp"

namespace aisp::tile {

// Where this warp's quarter of the lanes is.
TILE_DEVICE arch::TmemAddress own_lanes(arch::TmemAddress from) {
  return arch::tmem_at(from, static_cast<int>(threadIdx.x) / 32 % 4 * 32, 0);
}

template <Sm100AttentionConfig config>
class RowSoftmax {
 public:
  static constexpr int count = config.block_keys;

  TILE_DEVICE void start() {
    top_ = -INFINITY;
    sum_ = 0;
  }

  TILE_DEVICE void load(arch::TmemAddress scores) {
    std::uint32_t loaded[config.chunks][config.chunk_keys];  // (CHUNK, CHUNKS)
#pragma unroll
    for (int chunk = 0; chunk < config.chunks; ++chunk)
      arch::tmem_load<arch::TmemShape::l32x32b>(
          loaded[chunk], own_lanes(arch::tmem_at(scores, 0, chunk * config.chunk_keys)));
    arch::tmem_wait_loads();
#pragma unroll
    for (int i = 0; i < count; ++i)
      scores_[i] = arch::tmem_loaded(loaded[i / config.chunk_keys][i % config.chunk_keys]);
  }

  // Only keys `least` to `most` of the block count.
  TILE_DEVICE void mask(int least, int most) {
#pragma unroll
    for (int word = 0; word < count; word += 32) {
      const std::uint32_t seen = bits_below(most + 1 - word) & ~bits_below(least - word);
#pragma unroll
      for (int i = 0; i < 32; ++i)
        if ((seen >> i & 1) == 0) scores_[word + i] = -INFINITY;
    }
  }

  // The maximum follows the largest score; returns what earlier weights must be multiplied by. In
  // powers of two, as in OnlineSoftmax.
  TILE_DEVICE float raise(float scale) {
    const float largest = this->largest() * scale;
    const float top = largest > top_ + static_cast<float>(config.slack) ? largest : top_;
    const float base = top == -INFINITY ? 0.0f : top;  // the row has seen no key yet
    const float factor = top == top_ ? 1.0f : arch::exp2_approximate(top_ - base);
    top_ = top;
    sum_ *= factor;
    scale_ = arch::both(scale);
    shift_ = arch::both(-base);
    return factor;
  }

  // Scores of a chunk become weights 2^(scale * score - top), those of tensor memory.
  TILE_DEVICE void weigh(int chunk, arch::TmemAddress weights) {
    constexpr int pairs = config.chunk_keys / 2;
    std::uint32_t packed[pairs];  // (CHUNK / 2)
    arch::FloatPair sum[2];       // one addition after the other would take long
#pragma unroll
    for (int pair = 0; pair < pairs; ++pair) {
      const float* const from = scores_ + chunk * config.chunk_keys + 2 * pair;
      const auto exponents = arch::fma_pair(arch::pack_floats(from[0], from[1]), scale_, shift_);
      const float2 weight = pair % 4 < config.polynomials ? arch::exp2_polynomial_pair(exponents)
                                                          : exp2_of(exponents);
      const auto both = arch::pack_floats(weight.x, weight.y);
      sum[pair % 2] = pair < 2 ? both : arch::add_pair(sum[pair % 2], both);
      packed[pair] = encode_pair<config.element>(weight.x, weight.y);
    }
    const float2 sums = arch::unpack_floats(arch::add_pair(sum[0], sum[1]));
    sum_ += sums.x + sums.y;
    arch::tmem_store<arch::TmemShape::l32x32b>(own_lanes(arch::tmem_at(weights, 0, chunk * pairs)),
                                               packed);
  }

  TILE_DEVICE float sum() const { return sum_; }
  TILE_DEVICE float log_sum_exp() const {
    constexpr float ln_2 = 0.693147180559945f;
    return sum_ == 0 ? -INFINITY : top_ * ln_2 + logf(sum_);  // NaN where a score is
  }

 private:
  TILE_DEVICE static float2 exp2_of(arch::FloatPair exponents) {
    const float2 x = arch::unpack_floats(exponents);
    return {arch::exp2_approximate(x.x), arch::exp2_approximate(x.y)};
  }
  TILE_DEVICE static std::uint32_t bits_below(int end) {
    return end <= 0 ? 0u : end >= 32 ? 0xffffffffu : (1u << end) - 1;
  }
  TILE_DEVICE float largest() const {
    float largest[4];  // (CHAINS)
#pragma unroll
    for (int i = 0; i < count; ++i)
      largest[i % 4] = i < 4 ? scores_[i] : fmaxf(largest[i % 4], scores_[i]);
    return fmaxf(fmaxf(largest[0], largest[1]), fmaxf(largest[2], largest[3]));
  }

  float scores_[count];  // (BLK_KV)
  float top_, sum_;
  arch::FloatPair scale_, shift_;
};

}  // namespace aisp::tile
