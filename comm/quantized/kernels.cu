// A warp takes four blocks at a time. Its lanes read a block of f32 in one access, four numbers
// each, so that the largest of a block is a reduction over the warp. Codes are read and written 16
// bytes at a time too: four lanes exchange the words of four blocks for 16 neighbours of one.
// Divisions are long: each lane finds the scale of one of the four blocks and hands it to the rest.
#include "comm/quantized/kernels.hpp"

#include <algorithm>

#include "comm/cuda.hpp"
#include "comm/quantized/code_words.cuh"

namespace aisp::comm {
namespace {

constexpr int threads = 256, lanes = 32;
constexpr int group_blocks = 4;
constexpr std::int64_t group_elements = group_blocks * block_elements;
constexpr unsigned all_lanes = 0xffffffffu;
constexpr std::int64_t most_blocks = std::int64_t{1} << 30;  // the loop takes the rest

// Numbers of a buffer, of which `count` are there; the others are 0 and are not written.
struct Numbers {
  std::int64_t count;
  bool aligned;  // to 16 bytes

  // Nothing of the group needs a second look: one question for all of its accesses.
  __device__ bool whole(std::int64_t group) const {
    return aligned && (group + 1) * group_elements <= count;
  }
  __device__ void load(float4 (&to)[group_blocks], const float* from, std::int64_t group,
                       int lane) const {
    const bool at_once = whole(group);
#pragma unroll
    for (int b = 0; b < group_blocks; ++b) {
      const std::int64_t at = place(group, b, lane);
      to[b] = at_once ? *reinterpret_cast<const float4*>(from + at) : load_some(from, at);
    }
  }
  __device__ void store(float* to, const float4 (&values)[group_blocks], std::int64_t group,
                        int lane) const {
    const bool at_once = whole(group);
#pragma unroll
    for (int b = 0; b < group_blocks; ++b) {
      const std::int64_t at = place(group, b, lane);
      if (at_once)
        *reinterpret_cast<float4*>(to + at) = values[b];
      else
        store_some(to, at, values[b]);
    }
  }

 private:
  static __device__ std::int64_t place(std::int64_t group, int block, int lane) {
    return group * group_elements + block * block_elements + 4 * lane;
  }
  __device__ float4 load_some(const float* from, std::int64_t at) const {
    const auto one = [&](std::int64_t i) { return i < count ? from[i] : 0.0f; };
    return {one(at), one(at + 1), one(at + 2), one(at + 3)};
  }
  __device__ void store_some(float* to, std::int64_t at, float4 value) const {
    if (at < count) to[at] = value.x;
    if (at + 1 < count) to[at + 1] = value.y;
    if (at + 2 < count) to[at + 2] = value.z;
    if (at + 3 < count) to[at + 3] = value.w;
  }
};

// Word b of a lane is its four numbers of block b; afterwards the lane has four words of block
// (lane % 4), 16 numbers from number lane / 4 * 16 on. Twice is as it was.
__device__ void transpose(std::uint32_t (&words)[group_blocks], int lane) {
  const auto swap = [&](std::uint32_t& low, std::uint32_t& high, int distance) {
    const bool upper = (lane & distance) != 0;
    const std::uint32_t got = __shfl_xor_sync(all_lanes, upper ? low : high, distance);
    (upper ? low : high) = got;
  };
  swap(words[0], words[1], 1);
  swap(words[2], words[3], 1);
  swap(words[0], words[2], 2);
  swap(words[1], words[3], 2);
}

// What a lane has of a group: a word of each block, and of block (lane % 4) the scale.
struct Coded {
  std::uint32_t words[group_blocks];
  float scale;

  __device__ static std::int64_t place(std::int64_t group, int lane) {
    return group * group_elements + lane % 4 * block_elements + lane / 4 * 16;
  }
  // Of any block.
  __device__ float scale_of(int block) const { return __shfl_sync(all_lanes, scale, block); }

  __device__ void load(const char* packet, std::int64_t group, std::int64_t count, int lane) {
    const std::int64_t at = place(group, lane), block = group * group_blocks + lane % 4;
    uint4 codes{};
    if (at < count) codes = *reinterpret_cast<const uint4*>(packet + at);
    const auto* const scales = reinterpret_cast<const float*>(packet + scales_offset(count));
    scale = block < blocks_of(count) ? scales[block] : 0.0f;
    words[0] = codes.x, words[1] = codes.y, words[2] = codes.z, words[3] = codes.w;
    transpose(words, lane);
  }

  __device__ void store(char* packet, std::int64_t group, std::int64_t count, int lane) const {
    std::uint32_t mine[group_blocks] = {words[0], words[1], words[2], words[3]};
    transpose(mine, lane);
    const std::int64_t at = place(group, lane), block = group * group_blocks + lane;
    if (at < count)
      *reinterpret_cast<uint4*>(packet + at) = uint4{mine[0], mine[1], mine[2], mine[3]};
    if (lane < group_blocks && block < blocks_of(count))
      reinterpret_cast<float*>(packet + scales_offset(count))[block] = scale;
  }
};

__device__ std::uint32_t magnitude(float x) { return __float_as_uint(x) & 0x7fffffffu; }

// The bits of magnitudes are in their order, infinity above all numbers and NaN above that.
template <Codes codes>
__device__ void encode(const float4 (&numbers)[group_blocks], Coded& coded, int lane) {
  std::uint32_t amax = 0;  // of block (lane % 4)
#pragma unroll
  for (int b = 0; b < group_blocks; ++b) {
    const float4 x = numbers[b];
    const std::uint32_t of_block = __reduce_max_sync(
        all_lanes, max(max(magnitude(x.x), magnitude(x.y)), max(magnitude(x.z), magnitude(x.w))));
    if (lane % 4 == b) amax = of_block;
  }
  const float scale = amax >= 0x7f800000u
                          ? __uint_as_float(0x7fffffffu)
                          : fminf(__fdiv_ru(__uint_as_float(amax), CodesOf<codes>::largest),
                                  CodesOf<codes>::largest_scale);
  // Scales whose reciprocal is too large are lifted, and the numbers with them: both exact.
  constexpr float lift = 0x1p64f;
  const bool tiny = scale < 1.0f / lift;
  const float reciprocal = scale == 0.0f ? 0.0f : __frcp_rn(tiny ? __fmul_rn(scale, lift) : scale);
  const unsigned lifted = __ballot_sync(all_lanes, tiny);
  coded.scale = scale;
#pragma unroll
  for (int b = 0; b < group_blocks; ++b) {
    float4 x = numbers[b];
    if ((lifted >> b & 1u) != 0)
      x = {__fmul_rn(x.x, lift), __fmul_rn(x.y, lift), __fmul_rn(x.z, lift), __fmul_rn(x.w, lift)};
    coded.words[b] = Word<codes>::encode(x, __shfl_sync(all_lanes, reciprocal, b));
  }
}

template <Codes codes>
__device__ void decode(const Coded& coded, float4 (&numbers)[group_blocks]) {
#pragma unroll
  for (int b = 0; b < group_blocks; ++b) {
    const float4 code = Word<codes>::decode(coded.words[b]);
    const float scale = coded.scale_of(b);
    numbers[b] = {__fmul_rn(code.x, scale), __fmul_rn(code.y, scale), __fmul_rn(code.z, scale),
                  __fmul_rn(code.w, scale)};
  }
}

// body(group, lane) for the groups of so many numbers, by all warps of the grid's row.
template <class Body>
__device__ void for_each_group(std::int64_t count, const Body& body) {
  const int lane = static_cast<int>(threadIdx.x) % lanes;
  const std::int64_t warp = (std::int64_t{blockIdx.x} * threads + threadIdx.x) / lanes;
  const std::int64_t warps = std::int64_t{gridDim.x} * threads / lanes;
  for (std::int64_t group = warp; group * group_elements < count; group += warps) body(group, lane);
}

template <Codes codes>
__global__ void __launch_bounds__(threads)
    quantize_blocks(const float* values, Pieces pieces, Packets packets, bool aligned) {
  const int piece = static_cast<int>(blockIdx.y);
  const float* from = values + pieces.begin(piece);
  char* packet = packets.memory + piece * packets.stride;
  const Numbers piece_numbers{pieces.count(piece), aligned};
  for_each_group(piece_numbers.count, [&](std::int64_t group, int lane) {
    float4 numbers[group_blocks];
    piece_numbers.load(numbers, from, group, lane);
    Coded coded;
    encode<codes>(numbers, coded, lane);
    coded.store(packet, group, piece_numbers.count, lane);
  });
}

template <Codes codes>
__global__ void __launch_bounds__(threads)
    dequantize_blocks(float* values, Pieces pieces, Packets packets, bool aligned) {
  const int piece = static_cast<int>(blockIdx.y);
  float* to = values + pieces.begin(piece);
  const char* packet = packets.memory + piece * packets.stride;
  const Numbers piece_numbers{pieces.count(piece), aligned};
  for_each_group(piece_numbers.count, [&](std::int64_t group, int lane) {
    Coded coded;
    coded.load(packet, group, piece_numbers.count, lane);
    float4 numbers[group_blocks];
    decode<codes>(coded, numbers);
    piece_numbers.store(to, numbers, group, lane);
  });
}

template <Codes codes>
__global__ void __launch_bounds__(threads) sum_packets(SumOfPackets what, bool aligned) {
  const Numbers numbers{what.count, aligned};
  for_each_group(what.count, [&](std::int64_t group, int lane) {
    float4 sum[group_blocks];
    numbers.load(sum, what.own, group, lane);
#pragma unroll 4  // as many packets are read at once
    for (int other = 0; other < what.others; ++other) {
      Coded coded;
      coded.load(what.packets.memory + other * what.packets.stride, group, what.count, lane);
      float4 share[group_blocks];
      decode<codes>(coded, share);
#pragma unroll
      for (int b = 0; b < group_blocks; ++b)
        sum[b] = {__fadd_rn(sum[b].x, share[b].x), __fadd_rn(sum[b].y, share[b].y),
                  __fadd_rn(sum[b].z, share[b].z), __fadd_rn(sum[b].w, share[b].w)};
    }
    Coded coded;
    encode<codes>(sum, coded, lane);
    coded.store(what.out, group, what.count, lane);
    decode<codes>(coded, sum);
    numbers.store(what.result, sum, group, lane);
  });
}

bool is_aligned(const void* pointer) {
  return reinterpret_cast<std::uintptr_t>(pointer) % packet_alignment == 0;
}

// A warp takes one group: blocks that end make room for others, so that all multiprocessors are
// busy to the end, however many blocks each has room for.
unsigned blocks_for(std::int64_t count) {
  constexpr std::int64_t per_block = threads / lanes * group_elements;
  return static_cast<unsigned>(
      std::clamp<std::int64_t>((count + per_block - 1) / per_block, 0, most_blocks));
}

dim3 grid_for(const Pieces& pieces) {
  return {blocks_for(pieces.largest()), static_cast<unsigned>(pieces.pieces), 1};
}

}  // namespace

void enqueue_quantize(Codes codes, const float* values, const Pieces& pieces, Packets packets,
                      cudaStream_t stream) {
  const dim3 grid = grid_for(pieces);
  if (grid.x == 0) return;
  const auto kernel =
      codes == Codes::int8 ? quantize_blocks<Codes::int8> : quantize_blocks<Codes::e4m3>;
  kernel<<<grid, threads, 0, stream>>>(values, pieces, packets, is_aligned(values));
  check(cudaGetLastError(), "quantize_blocks");
}

void enqueue_dequantize(Codes codes, float* values, const Pieces& pieces, Packets packets,
                        cudaStream_t stream) {
  const dim3 grid = grid_for(pieces);
  if (grid.x == 0) return;
  const auto kernel =
      codes == Codes::int8 ? dequantize_blocks<Codes::int8> : dequantize_blocks<Codes::e4m3>;
  kernel<<<grid, threads, 0, stream>>>(values, pieces, packets, is_aligned(values));
  check(cudaGetLastError(), "dequantize_blocks");
}

void enqueue_sum_of_packets(Codes codes, const SumOfPackets& what, cudaStream_t stream) {
  const unsigned blocks = blocks_for(what.count);
  if (blocks == 0) return;
  const auto kernel = codes == Codes::int8 ? sum_packets<Codes::int8> : sum_packets<Codes::e4m3>;
  kernel<<<blocks, threads, 0, stream>>>(what, is_aligned(what.own) && is_aligned(what.result));
  check(cudaGetLastError(), "sum_packets");
}

}  // namespace aisp::comm
