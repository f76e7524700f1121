// What one math warp of the decode kernel does with a tile: the scores of its 16 rows and its share
// of the keys, their softmax, and the sums of weighted values, all in registers.
#pragma once

#include "tile/arch/convert.cuh"
#include "tile/arch/matrix.cuh"
#include "tile/arch/mma.cuh"
#include "tile/collective/decode_config.cuh"
#include "tile/collective/online_softmax.cuh"

namespace tile {

template <DecodeConfig config>
class DecodeWarp {
 public:
  static constexpr int steps = config.head_size / 16;

  TILE_DEVICE DecodeWarp(const DecodeProblem& problem, int warp)
      : problem_(problem),
        lane_(static_cast<int>(arch::lane_index())),
        warp_(warp),
        group_(warp % problem.key_groups),
        row_tile_(warp / problem.key_groups) {
    // Four 8x8 matrices make one ldmatrix: two of neighbouring columns and, for keys, two of
    // neighbouring keys below; for values the other way round. The swizzle moves the 16 bytes at
    // column c of row r to c ^ r % 8.
    const int matrix = lane_ / 8, line = lane_ % 8;
    k_line_ = (matrix / 2 * 8 + line) * 128;
    k_column_ = (matrix % 2 ^ line) * 16;
    v_line_ = (matrix % 2 * 8 + line) * 128;
    v_column_ = (matrix / 2 ^ line) * 16;
  }

  // Reads the queries and forgets all keys.
  TILE_DEVICE void start(const DecodeSegment& segment) {
    const DecodeWork& work = problem_.work;
    const int sequence = work.sequences.packed() ? 0 : segment.sequence;
    const int rows = rows_of(work, segment.of);
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const int row = row_of(half);
      const DecodeRow at = decode_row(work, segment.head, row < rows ? row : 0);
      const char* const from =
          problem_.q.row(sequence, at.head, segment.of.query_start + at.query) + lane_ % 4 * 4;
#pragma unroll
      for (int step = 0; step < steps; ++step)
#pragma unroll
        for (int right = 0; right < 2; ++right)
          q_[step][2 * right + half] =
              row < rows ? *reinterpret_cast<const std::uint32_t*>(from + step * 32 + right * 16)
                         : 0u;
      low_[half] = larger(at.query + segment.of.low, 0);
      high_[half] = smaller(at.query + segment.of.high, segment.of.keys - 1);
    }
    softmax_.start();
#pragma unroll
    for (auto& tile : sums_)
#pragma unroll
      for (float& sum : tile) sum = 0;
  }

  // `wait_values` returns the address of the slot with the values when they are there.
  template <class Wait>
  TILE_DEVICE void attend(const DecodeSequence& of, int tile, std::uint32_t k_slot,
                          Wait wait_values) {
    const int share = decode_tile_keys / problem_.key_groups;
    const int first = group_ * share;
    // Twice the keys at a time hide twice the latency, where registers and the share allow it.
    if constexpr (config.head_size <= 128)
      if (share > 16) {
        for (int key = first; key < first + share; key += 32)
          attend_keys<32>(of, tile * decode_tile_keys + key, k_slot + key * 128,
                          [&] { return wait_values() + key * 128; });
        return;
      }
    for (int key = first; key < first + share; key += 16)
      attend_keys<16>(of, tile * decode_tile_keys + key, k_slot + key * 128,
                      [&] { return wait_values() + key * 128; });
  }

  TILE_DEVICE int warp() const { return warp_; }
  TILE_DEVICE int key_group() const { return group_; }
  // The two rows, 8 apart, of which a lane holds sums.
  TILE_DEVICE int row_of(int half) const { return row_tile_ * 16 + lane_ / 4 + 8 * half; }
  TILE_DEVICE int lane() const { return lane_; }
  TILE_DEVICE const OnlineSoftmax& softmax() const { return softmax_; }
  // (columns 8 * tile + 2 * (lane % 4) and the next) of both rows.
  TILE_DEVICE const float (&sums(int tile) const)[4] { return sums_[tile]; }

 private:
  static TILE_DEVICE void multiply(float (&sums)[4], const std::uint32_t (&a)[4],
                                   const std::uint32_t (&b)[2]) {
    if constexpr (config.element == Element::bf16)
      arch::mma_16x8x16_bf16(sums, a, b);
    else
      arch::mma_16x8x16_f16(sums, a, b);
  }
  static TILE_DEVICE std::uint32_t pack(float first, float second) {
    if constexpr (config.element == Element::bf16)
      return arch::pack_bf16(first, second);
    else
      return arch::pack_f16(first, second);
  }
  static TILE_DEVICE int column(int step, int lane_column) {
    return step / 4 * DecodeConfig::panel_bytes + ((step % 4 * 32) ^ lane_column);
  }

  template <int keys, class Values>
  TILE_DEVICE void attend_keys(const DecodeSequence& of, int first_key, std::uint32_t k_rows,
                               Values values) {
    float scores[keys / 2];  // four for every 8 keys
    score<keys>(k_rows, scores);
    // The first query sees the fewest keys at the end, the last one the fewest at the start.
    const bool edge = first_key < of.queries - 1 + of.low || first_key + keys - 1 > of.high ||
                      first_key + keys > of.keys;
    if (edge) hide<keys>(first_key, scores);
    softmax_.weigh(scores, problem_.scale, slack, 0.0f);
    if (softmax_.moved()) {
#pragma unroll
      for (auto& tile : sums_)
#pragma unroll
        for (int i = 0; i < 4; ++i) tile[i] *= softmax_.factor(i / 2);
    }
    const std::uint32_t v_rows = values();
#pragma unroll
    for (int part = 0; part < keys / 16; ++part) {
      const float* const weights = scores + 8 * part;
      const std::uint32_t a[4] = {pack(weights[0], weights[1]), pack(weights[2], weights[3]),
                                  pack(weights[4], weights[5]), pack(weights[6], weights[7])};
      // A weight of 0 does not undo a NaN: values that nobody may see become 0 themselves.
      std::uint32_t kept[2];
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        const int key = first_key + 16 * part + 8 * half + lane_ % 4 * 2;
        const auto seen = [&](int at) { return at >= of.first_key && at < of.keys; };
        kept[half] = (seen(key) ? 0x0000ffffu : 0u) | (seen(key + 1) ? 0xffff0000u : 0u);
      }
#pragma unroll
      for (int step = 0; step < steps; ++step) {
        std::uint32_t v[4];
        arch::load_matrices_transposed(v, v_rows + part * 2048 + v_line_ + column(step, v_column_));
        if (edge) {
#pragma unroll
          for (int i = 0; i < 4; ++i) v[i] &= kept[i % 2];
        }
        multiply(sums_[2 * step], a, {v[0], v[1]});
        multiply(sums_[2 * step + 1], a, {v[2], v[3]});
      }
    }
  }

  // Few keys make few sums: even and odd steps have their own, so that four products are under way.
  template <int keys>
  TILE_DEVICE void score(std::uint32_t k_rows, float (&scores)[keys / 2]) const {
    constexpr int chains = 32 / keys;
    float sums[chains][keys / 8][4] = {};
#pragma unroll
    for (int step = 0; step < steps; ++step)
#pragma unroll
      for (int part = 0; part < keys / 16; ++part) {
        std::uint32_t k[4];
        arch::load_matrices(k, k_rows + part * 2048 + k_line_ + column(step, k_column_));
        multiply(sums[step % chains][2 * part], q_[step], {k[0], k[1]});
        multiply(sums[step % chains][2 * part + 1], q_[step], {k[2], k[3]});
      }
#pragma unroll
    for (int i = 0; i < keys / 2; ++i) {
      scores[i] = sums[0][i / 4][i % 4];
      if constexpr (chains == 2) scores[i] += sums[1][i / 4][i % 4];
    }
  }

  template <int keys>
  TILE_DEVICE void hide(int first_key, float (&scores)[keys / 2]) const {
#pragma unroll
    for (int i = 0; i < keys / 2; ++i) {
      const int half = i % 4 / 2;
      const int key = first_key + i / 4 * 8 + lane_ % 4 * 2 + i % 2;
      if (key < low_[half] || key > high_[half]) scores[i] = -INFINITY;
    }
  }

  // Weights may reach 2^8 before the sums are corrected.
  static constexpr float slack = 8;

  const DecodeProblem& problem_;
  int lane_, warp_, group_, row_tile_;
  int k_line_, k_column_, v_line_, v_column_;
  int low_[2], high_[2];  // keys that the lane's rows see
  std::uint32_t q_[steps][4];
  float sums_[2 * steps][4];
  OnlineSoftmax softmax_;
};

}  // namespace tile
