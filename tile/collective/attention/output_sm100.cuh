// The outputs of Blackwell's attention: a thread has a row, which it corrects in tensor memory when
// the row's maximum has grown, and stores when all keys are in.
#pragma once

#include "tile/arch/wide_store.cuh"
#include "tile/collective/attention/shared_sm100.cuh"
#include "tile/collective/attention/softmax_sm100.cuh"

namespace aisp::tile {

// Where a row of the output and its logarithm go; null pointers: nowhere.
struct OutputRow {
  char* data;
  float* log_sum_exp;
};
template <Sm90AttentionConfig config>
TILE_DEVICE OutputRow output_row(const AttentionParams& params, const AttentionTile& tile,
                                 int row) {
  const AttentionOut& to = params.out;
  const int at = tile.first_row + row, batch = is_packed<config>(params) ? 0 : tile.sequence;
  if (at >= tile.queries) return {};
  return {to.data + 2 * (batch * to.batch_stride + tile.head * to.head_stride +
                         (tile.query_start + at) * to.row_stride),
          to.log_sum_exp == nullptr ? nullptr
                                    : to.log_sum_exp + batch * to.lse_batch_stride +
                                          tile.head * to.lse_head_stride + tile.query_start + at};
}

// 32 results of a row, 64 bytes. Rows begin at multiples of 16 bytes; of 32 where they can, so that
// a store fills whole sectors.
TILE_DEVICE void store_32_results(char* to, const std::uint32_t (&words)[16]) {
  if (reinterpret_cast<std::uintptr_t>(to) % 32 == 0) {
    arch::store_global_32_bytes(to, words);
    arch::store_global_32_bytes(to + 32, words + 8);
  } else {
#pragma unroll
    for (int i = 0; i < 4; ++i)
      reinterpret_cast<uint4*>(to)[i] = {words[4 * i], words[4 * i + 1], words[4 * i + 2],
                                         words[4 * i + 3]};
  }
}

// One tile's output, by the four warps that care for it.
template <Sm100AttentionConfig config>
class Sm100AttentionOutput {
 public:
  TILE_DEVICE Sm100AttentionOutput(Sm100AttentionShared<config>& shared, int tile)
      : ring_(shared.output(tile)) {}

  // After the product with the block before, ahead of the one with this. Most blocks change no
  // maximum by more than the slack: then nothing is touched.
  TILE_DEVICE void correct(float factor) {
    ring_.wait(at_);
    if (__any_sync(0xffffffff, factor != 1.0f)) {
#pragma unroll 1
      for (int column = 0; column < config.head_size; column += width) {
        std::uint32_t values[width];  // (WIDTH)
        load(values, column);
#pragma unroll
        for (int i = 0; i < width; i += 2) scale(values + i, factor);
        arch::tmem_store<arch::TmemShape::l32x32b>(from(column), values);
      }
      arch::tmem_wait_stores();
    }
    pass_on();
  }

  // After the last product: divided by the sum of the weights.
  TILE_DEVICE void store(char* to, float sum) {
    ring_.wait(at_);
    const float inverse = sum > 0 ? __fdividef(1.0f, sum) : 0;
#pragma unroll 1
    for (int column = 0; column < config.head_size; column += width) {
      std::uint32_t values[width], words[width / 2];
      load(values, column);
#pragma unroll
      for (int i = 0; i < width; i += 2) {
        scale(values + i, inverse);
        words[i / 2] =
            encode_pair<config.element>(__uint_as_float(values[i]), __uint_as_float(values[i + 1]));
      }
      if (to != nullptr) store_32_results(to + 2 * column, words);
    }
    pass_on();
  }

 private:
  static constexpr int width = 32;  // columns at a time: registers are few

  TILE_DEVICE arch::TmemAddress from(int column) const {
    return own_lanes(arch::tmem_at(ring_.columns_of(at_), 0, column));
  }
  TILE_DEVICE void load(std::uint32_t (&values)[width], int column) const {
    arch::tmem_load<arch::TmemShape::l32x32b>(values, from(column));
    arch::tmem_wait_loads(values);
  }
  TILE_DEVICE static void scale(std::uint32_t* two, float factor) {
    const auto pair = arch::pack_floats(__uint_as_float(two[0]), __uint_as_float(two[1]));
    const float2 scaled = arch::unpack_floats(arch::multiply_pair(pair, arch::both(factor)));
    two[0] = __float_as_uint(scaled.x);
    two[1] = __float_as_uint(scaled.y);
  }
  TILE_DEVICE void pass_on() {
    ring_.release(at_);
    ++at_;
  }

  Tcgen05OutputRing<config> ring_;
  RingState<1> at_ = RingState<1>::reader();
};

}  // namespace aisp::tile
