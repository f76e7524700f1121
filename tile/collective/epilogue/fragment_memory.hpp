// Fragments between registers and memory: pairs of neighbouring elements move as one access where
// their address allows it, and nothing outside the extent is touched. Strides count elements.
#pragma once

#include <cstdint>
#include <cstring>

#include "tile/atom/convert.hpp"
#include "tile/collective/epilogue/tree.hpp"
#ifdef __CUDACC__
#include "tile/arch/predicated.cuh"
#endif

namespace aisp::tile {

// A matrix that the kernel may be writing too (C may be D) is read by ordinary loads; what nobody
// writes while the kernel runs by read-only ones, which need not wait for the stores before them.
enum class Reading { ordinary, read_only };

namespace detail {

template <Reading reading, class T>
TILE_INLINE TILE_FN T read_if(bool wanted, const T* from) {
#ifdef __CUDA_ARCH__
  return arch::load_if<reading == Reading::read_only>(wanted, from);
#else
  T value{};
  if (wanted) std::memcpy(&value, from, sizeof value);
  return value;
#endif
}

template <class T>
TILE_INLINE TILE_FN void write_if(bool wanted, T* to, T value) {
#ifdef __CUDA_ARCH__
  arch::store_if(wanted, to, value);
#else
  if (wanted) std::memcpy(to, &value, sizeof value);
#endif
}

template <class T>
TILE_FN bool aligned_for(const void* pointer) {
  return reinterpret_cast<std::uintptr_t>(pointer) % sizeof(T) == 0;
}

// Elements `index` and `index + 1`, of which `inside` exist: 2 or more, 1, or none. The rest is 0.
template <Element element, Reading reading>
TILE_INLINE TILE_FN Pair<float> read_pair(const void* data, std::int64_t index, int inside) {
  using Both = PairCode<element>;
  const auto* at = static_cast<const Code<element>*>(data) + index;
  const bool whole = inside > 1 && aligned_for<Both>(at);
  const Both both = read_if<reading>(whole, reinterpret_cast<const Both*>(at));
  const auto first = read_if<reading>(!whole && inside > 0, at);
  const auto second = read_if<reading>(!whole && inside > 1, at + 1);
  return decode_pair<element>(both | join<element>(first, second));
}

template <Element element, Reading reading>
TILE_INLINE TILE_FN float read_one(const void* data, std::int64_t index, bool exists) {
  const auto code = read_if<reading>(exists, static_cast<const Code<element>*>(data) + index);
  return decode_pair<element>(code).first;
}

template <Element element>
TILE_INLINE TILE_FN void write_pair(void* data, std::int64_t index, int inside,
                                    PairCode<element> codes) {
  using One = Code<element>;
  using Both = PairCode<element>;
  One* at = static_cast<One*>(data) + index;
  const bool whole = inside > 1 && aligned_for<Both>(at);
  write_if(whole, reinterpret_cast<Both*>(at), codes);
  write_if(!whole && inside > 0, at, static_cast<One>(codes));
  write_if(!whole && inside > 1, at + 1, static_cast<One>(codes >> 8 * bytes_of(element)));
}

}  // namespace detail

// A row-major matrix of each batch, read or written a fragment at a time.
template <Element element>
TILE_INLINE TILE_FN EpilogueFragment<float> load_fragment(const void* data, std::int64_t stride,
                                                          std::int64_t batch_stride,
                                                          OutputCoord coord, Extent extent) {
  const std::int64_t index = coord.batch * batch_stride + coord.row * stride + coord.column;
  const int inside = extent.columns - coord.column;
  const auto upper = detail::read_pair<element, Reading::ordinary>(
      data, index, coord.row < extent.rows ? inside : 0);
  const auto lower = detail::read_pair<element, Reading::ordinary>(
      data, index + 8 * stride, coord.row + 8 < extent.rows ? inside : 0);
  return {{{upper.first, upper.second}, {lower.first, lower.second}}};
}

template <Element element, class V>
TILE_INLINE TILE_FN void store_fragment(void* data, std::int64_t stride, std::int64_t batch_stride,
                                        const EpilogueFragment<V>& fragment, OutputCoord coord,
                                        Extent extent) {
  const std::int64_t index = coord.batch * batch_stride + coord.row * stride + coord.column;
  const int inside = extent.columns - coord.column;
  detail::write_pair<element>(data, index, coord.row < extent.rows ? inside : 0,
                              encode_pair<element>(fragment.at[0][0], fragment.at[0][1]));
  detail::write_pair<element>(data, index + 8 * stride, coord.row + 8 < extent.rows ? inside : 0,
                              encode_pair<element>(fragment.at[1][0], fragment.at[1][1]));
}

}  // namespace aisp::tile
