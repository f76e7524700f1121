// What one math warp of the decode kernel does with a tile: the scores of its 16 rows and some of
// the keys, their softmax, and the accumulators of weighted values, all in registers.
#pragma once

#include "tile/arch/convert.cuh"
#include "tile/arch/ldmatrix.cuh"
#include "tile/arch/warp.cuh"
#include "tile/atom/multiply.cuh"
#include "tile/collective/attention/functions.cuh"
#include "tile/collective/attention/softmax_sm90.cuh"
#include "tile/collective/decode/config.cuh"
#include "tile/collective/decode/slot_layout.hpp"

namespace aisp::tile {

// A lane's functions. Its two rows may be of two heads: nothing is shared between them.
template <class Functions>
class DecodeHook {
 public:
  TILE_DEVICE explicit DecodeHook(const Functions& functions) : functions_(functions) {}

  TILE_DEVICE void enter(int half, const DecodeSegment& segment, DecodeRow at) {
    const DecodeSequence& of = segment.of;
    tiles_[half] = functions_.tile({.sequence = segment.sequence,
                                    .head = at.head,
                                    .queries = of.queries,
                                    .keys = of.keys,
                                    .query_start = of.query_start,
                                    .key_start = of.key_start,
                                    .first_row = 0});
    rows_[half] = functions_.row(tiles_[half], at.query);
  }
  // Keys behind the sequence's last are hidden by whoever calls.
  template <int count>
  TILE_DEVICE void apply(float (&scores)[count], int first) const {
#pragma unroll
    for (int i = 0; i < count; ++i) {
      const int half = i % 4 / 2;
      const int column = i / 4 * 8 + i % 2;
      const auto key = functions_.key(tiles_[half], first, column,
                                      functions_.fetch(tiles_[half], first + column));
      if constexpr (Functions::modifies)
        scores[i] = functions_.score(scores[i], tiles_[half], rows_[half], key);
      if constexpr (Functions::masks)
        if (!functions_.mask(tiles_[half], rows_[half], key)) scores[i] = -INFINITY;
    }
  }
  TILE_DEVICE float scale() const { return functions_.scale(tiles_[0]); }

 private:
  const Functions& functions_;
  typename Functions::Tile tiles_[2];
  typename Functions::Row rows_[2];
};

template <>
class DecodeHook<NoFunctions> {
 public:
  TILE_DEVICE explicit DecodeHook(const NoFunctions&) {}
};

template <DecodeConfig config, class Functions>
class DecodeWarp {
 public:
  static constexpr bool has_functions = !std::is_same_v<Functions, NoFunctions>;
  using Atom = MmaSync<config.element>;
  static constexpr int steps = config.head_size / Atom::k;

  TILE_DEVICE DecodeWarp(const DecodeProblem& problem, const Functions& functions, int warp)
      : problem_(problem),
        hook_(functions),
        lane_(static_cast<int>(arch::lane_index())),
        warp_(warp),
        group_(warp % problem.key_groups),
        row_tile_(warp / problem.key_groups) {
    // Keys are multiplied along their rows, values across them. Where a line starts and which chunk
    // of it is read stay apart: a step flips bits of the chunk's number.
    const Cell k = LdMatrixX4::k_major_pairs(lane_), v = LdMatrixX4::mn_major_pairs(lane_);
    k_line_ = slot_line<config>(k);
    k_chunk_ = slot_chunk<config>(k);
    v_line_ = slot_line<config>(v);
    v_chunk_ = slot_chunk<config>(v);
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
          problem_.q.row(sequence, at.head, segment.of.query_start + at.query) +
          2 * Atom::a(lane_, 0, 0).column;
#pragma unroll
      for (int step = 0; step < steps; ++step)
#pragma unroll
        for (int reg = half; reg < 4; reg += 2) {
          const int byte = 2 * (step * Atom::k + Atom::a(0, reg, 0).column);
          q_[step][reg] = row < rows ? *reinterpret_cast<const std::uint32_t*>(from + byte) : 0u;
        }
      if constexpr (has_functions) hook_.enter(half, segment, at);
      low_[half] = larger(at.query + segment.of.low, 0);
      high_[half] = smaller(at.query + segment.of.high, segment.of.keys - 1);
    }
    softmax_.start();
#pragma unroll
    for (auto& atom : accumulators_)
#pragma unroll
      for (float& accumulator : atom) accumulator = 0;
  }

  // `wait_values` returns the address of the slot with the values when they are there.
  template <class Wait>
  TILE_DEVICE void attend(const DecodeSequence& of, int tile, std::uint32_t k_slot,
                          Wait wait_values) {
    const int of_warp = decode_tile_keys / problem_.key_groups;
    const int first = group_ * of_warp;
    // Twice the keys at a time hide twice the latency, where registers and their number allow it.
    if constexpr (config.head_size <= 128)
      if (of_warp > 16) {
        for (int key = first; key < first + of_warp; key += 32)
          attend_keys<32>(of, tile * decode_tile_keys + key, k_slot + key * 128,
                          [&] { return wait_values() + key * 128; });
        return;
      }
    for (int key = first; key < first + of_warp; key += 16)
      attend_keys<16>(of, tile * decode_tile_keys + key, k_slot + key * 128,
                      [&] { return wait_values() + key * 128; });
  }

  TILE_DEVICE int warp() const { return warp_; }
  TILE_DEVICE int key_group() const { return group_; }
  // The two rows, 8 apart, of which a lane holds accumulators.
  TILE_DEVICE int row_of(int half) const { return row_tile_ * 16 + row_in_tile(half); }
  TILE_DEVICE int row_in_tile(int half) const { return Atom::accumulator(lane_, 2 * half).row; }
  // ... and of every 8 columns the first of its two.
  TILE_DEVICE int column() const { return Atom::accumulator(lane_, 0).column; }
  TILE_DEVICE int lane() const { return lane_; }
  TILE_DEVICE const OnlineSoftmax& softmax() const { return softmax_; }
  // Of the 8 columns from 8 * atom on, both rows.
  TILE_DEVICE const float (&accumulators(int atom) const)[4] { return accumulators_[atom]; }

 private:
  static TILE_DEVICE std::uint32_t pack(float first, float second) {
    if constexpr (config.element == Element::bf16)
      return arch::pack_bf16(first, second);
    else
      return arch::pack_f16(first, second);
  }

  template <int keys, class Values>
  TILE_DEVICE void attend_keys(const DecodeSequence& of, int first_key, std::uint32_t k_rows,
                               Values values) {
    float scores[keys / 2];  // (4, KEYS / 8)
    score<keys>(k_rows, scores);
    // The first query sees the fewest keys at the end, the last one the fewest at the start.
    const bool edge = first_key < of.queries - 1 + of.low || first_key + keys - 1 > of.high ||
                      first_key + keys > of.keys;
    if constexpr (has_functions) hook_.apply(scores, first_key + column());
    if (edge) hide<keys>(first_key, scores);
    softmax_.weigh(scores, score_scale(), slack, 0.0f);
    if (softmax_.moved()) {
#pragma unroll
      for (auto& atom : accumulators_)
#pragma unroll
        for (int i = 0; i < 4; ++i) atom[i] *= softmax_.factor(i / 2);
    }
    const std::uint32_t v_rows = values();
#pragma unroll
    for (int k = 0; k < keys / Atom::k; ++k) {
      const float* const weights = scores + 8 * k;  // (4, 2)
      const std::uint32_t a[4] = {pack(weights[0], weights[1]), pack(weights[2], weights[3]),
                                  pack(weights[4], weights[5]),
                                  pack(weights[6], weights[7])};  // (MMA_A)
      // A weight of 0 does not undo a NaN: values that nobody may see become 0 themselves.
      std::uint32_t kept[2];  // (2): the halves of the keys
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        const int key = first_key + Atom::k * k + 8 * half + column();
        const auto seen = [&](int at) { return at >= of.first_key && at < of.keys; };
        kept[half] = (seen(key) ? 0x0000ffffu : 0u) | (seen(key + 1) ? 0xffff0000u : 0u);
      }
#pragma unroll
      for (int step = 0; step < steps; ++step) {
        std::uint32_t v[4];  // (2, 2): keys of 8, columns of 8
        arch::ldmatrix_x4_trans(v,
                                v_rows + k * Atom::k * 128 + v_line_ + slot_step(v_chunk_, step));
        if (edge) {
#pragma unroll
          for (int i = 0; i < 4; ++i) v[i] &= kept[i % 2];
        }
        multiply(Atom{}, accumulators_[2 * step], a, {v[0], v[1]});
        multiply(Atom{}, accumulators_[2 * step + 1], a, {v[2], v[3]});
      }
    }
  }

  TILE_DEVICE float score_scale() const {
    if constexpr (has_functions)
      return hook_.scale();
    else
      return problem_.scale;
  }

  // Few keys make few accumulators: even and odd steps have their own, so that four products are
  // under way.
  template <int keys>
  TILE_DEVICE void score(std::uint32_t k_rows, float (&scores)[keys / 2]) const {
    constexpr int chains = 32 / keys;
    float accumulators[chains][keys / 8][4] = {};  // (MMA_C, KEYS / 8, CHAINS)
#pragma unroll
    for (int step = 0; step < steps; ++step)
#pragma unroll
      for (int n = 0; n < keys / 8; n += 2) {
        std::uint32_t k[4];  // (2, 2): columns of 8, keys of 8
        arch::ldmatrix_x4(k, k_rows + n * 8 * 128 + k_line_ + slot_step(k_chunk_, step));
        multiply(Atom{}, accumulators[step % chains][n], q_[step], {k[0], k[1]});
        multiply(Atom{}, accumulators[step % chains][n + 1], q_[step], {k[2], k[3]});
      }
#pragma unroll
    for (int i = 0; i < keys / 2; ++i) {
      scores[i] = accumulators[0][i / 4][i % 4];
      if constexpr (chains == 2) scores[i] += accumulators[1][i / 4][i % 4];
    }
  }

  template <int keys>
  TILE_DEVICE void hide(int first_key, float (&scores)[keys / 2]) const {
#pragma unroll
    for (int i = 0; i < keys / 2; ++i) {
      const int half = i % 4 / 2;
      const int key = first_key + i / 4 * 8 + column() + i % 2;
      if (key < low_[half] || key > high_[half]) scores[i] = -INFINITY;
    }
  }

  // Weights may reach 2^8 before the accumulators are corrected.
  static constexpr float slack = 8;

  const DecodeProblem& problem_;
  DecodeHook<Functions> hook_;
  int lane_, warp_, group_, row_tile_;
  int k_line_, k_chunk_, v_line_, v_chunk_;  // bytes, of what the lane reads for step 0
  int low_[2], high_[2];                     // keys that the lane's rows see
  std::uint32_t q_[steps][4];                // (MMA_A, HEAD / 16)
  float accumulators_[2 * steps][4];         // (MMA_C, HEAD / 8)
  OnlineSoftmax softmax_;
};

}  // namespace aisp::tile
