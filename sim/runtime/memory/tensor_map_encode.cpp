#include "sim/runtime/memory/tensor_map_encode.hpp"

#include <algorithm>
#include <cstring>
#include <limits>

#include "base/refuse.hpp"
#include "sim/machine/tensor_map.hpp"
#include "sim/runtime/state/runtime.hpp"

namespace aisp::sim {
namespace {

// Narrowed without wrapping: what does not fit stays outside of every rule.
template <class To, class From>
To narrow(From value) {
  return static_cast<To>(std::clamp<std::int64_t>(static_cast<std::int64_t>(value),
                                                  std::numeric_limits<To>::min(),
                                                  std::numeric_limits<To>::max()));
}

struct Traits {
  CUtensorMapDataType type;
  cuuint32_t rank;
  CUtensorMapInterleave interleave;
  CUtensorMapSwizzle swizzle;
  CUtensorMapL2promotion promotion;
  CUtensorMapFloatOOBfill fill;
};

TensorMap start(const Traits& traits, void* address) {
  TensorMap map;
  map.element_type = narrow<std::uint8_t>(traits.type);
  map.rank = narrow<std::uint8_t>(traits.rank);
  map.interleave = narrow<std::uint8_t>(traits.interleave);
  map.swizzle = narrow<std::uint8_t>(traits.swizzle);
  map.l2_promotion = narrow<std::uint8_t>(traits.promotion);
  map.nan_fill = narrow<std::uint8_t>(traits.fill);
  map.address = reinterpret_cast<std::uint64_t>(address);
  return map;
}

CUresult refuse(const char* function, const std::string& why) {
  Runtime::get().note(base::say(function, ": ", why));
  return CUDA_ERROR_INVALID_VALUE;
}

void set_tensor(TensorMap& map, const cuuint64_t* dims, const cuuint64_t* strides,
                const cuuint32_t* element_strides) {
  for (int i = 0; i < map.rank; ++i) {
    map.dim[i] = dims[i];
    map.element_stride[i] = narrow<std::uint8_t>(element_strides[i]);
    if (i + 1 < map.rank) map.stride[i] = strides[i];
  }
}

CUresult write(const char* function, const TensorMap& map, CUtensorMap* to) {
  std::string why = why_invalid(map, Runtime::get().model.major);
  if (why.empty() && map.swizzle > CU_TENSOR_MAP_SWIZZLE_128B_ATOM_64B)
    why = base::say("swizzle ", +map.swizzle, " does not exist");
  if (!why.empty()) return refuse(function, why);
  std::memset(to, 0, sizeof *to);
  std::memcpy(to, &map, sizeof map);
  return CUDA_SUCCESS;
}

constexpr const char* tiled = "cuTensorMapEncodeTiled";
constexpr const char* im2col = "cuTensorMapEncodeIm2col";
constexpr const char* wide = "cuTensorMapEncodeIm2colWide";

}  // namespace

CUresult encode_tiled(CUtensorMap* to, CUtensorMapDataType type, cuuint32_t rank, void* address,
                      const cuuint64_t* dims, const cuuint64_t* strides, const cuuint32_t* box,
                      const cuuint32_t* element_strides, CUtensorMapInterleave interleave,
                      CUtensorMapSwizzle swizzle, CUtensorMapL2promotion promotion,
                      CUtensorMapFloatOOBfill fill) {
  if (!to || !dims || !strides || !box || !element_strides) return refuse(tiled, "a null pointer");
  TensorMap map = start({type, rank, interleave, swizzle, promotion, fill}, address);
  if (rank < 1 || rank > 5) return refuse(tiled, base::say("rank ", rank, " is outside of 1 to 5"));
  set_tensor(map, dims, strides, element_strides);
  for (cuuint32_t i = 0; i < rank; ++i) map.box[i] = narrow<std::uint16_t>(box[i]);
  return write(tiled, map, to);
}

CUresult encode_im2col(CUtensorMap* to, CUtensorMapDataType type, cuuint32_t rank, void* address,
                       const cuuint64_t* dims, const cuuint64_t* strides, const int* lower,
                       const int* upper, cuuint32_t channels, cuuint32_t pixels,
                       const cuuint32_t* element_strides, CUtensorMapInterleave interleave,
                       CUtensorMapSwizzle swizzle, CUtensorMapL2promotion promotion,
                       CUtensorMapFloatOOBfill fill) {
  if (!to || !dims || !strides || !lower || !upper || !element_strides)
    return refuse(im2col, "a null pointer");
  TensorMap map = start({type, rank, interleave, swizzle, promotion, fill}, address);
  if (rank < 3 || rank > 5)
    return refuse(im2col, base::say("rank ", rank, " is outside of 3 to 5"));
  map.kind = MapKind::im2col;
  set_tensor(map, dims, strides, element_strides);
  map.channels_per_pixel = narrow<std::uint16_t>(channels);
  map.pixels_per_column = narrow<std::uint16_t>(pixels);
  for (cuuint32_t i = 0; i + 2 < rank; ++i) {
    map.lower[i] = narrow<std::int16_t>(lower[i]);
    map.upper[i] = narrow<std::int16_t>(upper[i]);
  }
  return write(im2col, map, to);
}

CUresult encode_im2col_wide(CUtensorMap* to, CUtensorMapDataType type, cuuint32_t rank,
                            void* address, const cuuint64_t* dims, const cuuint64_t* strides,
                            int lower, int upper, cuuint32_t channels, cuuint32_t pixels,
                            const cuuint32_t* element_strides, CUtensorMapInterleave interleave,
                            CUtensorMapIm2ColWideMode mode, CUtensorMapSwizzle swizzle,
                            CUtensorMapL2promotion promotion, CUtensorMapFloatOOBfill fill) {
  if (!to || !dims || !strides || !element_strides) return refuse(wide, "a null pointer");
  TensorMap map = start({type, rank, interleave, swizzle, promotion, fill}, address);
  if (rank < 3 || rank > 5) return refuse(wide, base::say("rank ", rank, " is outside of 3 to 5"));
  if (mode != CU_TENSOR_MAP_IM2COL_WIDE_MODE_W && mode != CU_TENSOR_MAP_IM2COL_WIDE_MODE_W128)
    return refuse(wide, base::say("mode ", static_cast<int>(mode), " does not exist"));
  map.kind = mode == CU_TENSOR_MAP_IM2COL_WIDE_MODE_W ? MapKind::wide : MapKind::wide_128;
  set_tensor(map, dims, strides, element_strides);
  map.channels_per_pixel = narrow<std::uint16_t>(channels);
  map.pixels_per_column = narrow<std::uint16_t>(pixels);
  map.lower[0] = narrow<std::int16_t>(lower);
  map.upper[0] = narrow<std::int16_t>(upper);
  return write(wide, map, to);
}

CUresult replace_address(CUtensorMap* to, void* address) {
  constexpr const char* function = "cuTensorMapReplaceAddress";
  if (!to) return refuse(function, "a null pointer");
  TensorMap map;
  std::memcpy(static_cast<void*>(&map), to, sizeof map);
  if (map.magic != TensorMap::tag) return refuse(function, "these bytes are no tensor map");
  map.address = reinterpret_cast<std::uint64_t>(address);
  return write(function, map, to);
}

}  // namespace aisp::sim
