// The driver's functions that programs ask the runtime for, and the checks of tensor-map encoding.
#include <cuda.h>
#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <string>

namespace {

template <class Function>
Function* entry(const char* name, unsigned version = 12000) {
  void* found = nullptr;
  cudaDriverEntryPointQueryResult status{};
  EXPECT_EQ(cudaGetDriverEntryPointByVersion(name, &found, version, cudaEnableDefault, &status),
            cudaSuccess);
  EXPECT_EQ(status, cudaDriverEntryPointSuccess);
  return reinterpret_cast<Function*>(found);
}

class TensorMaps : public testing::Test {
 protected:
  void SetUp() override { ASSERT_EQ(cudaMalloc(&memory_, 1 << 20), cudaSuccess); }
  void TearDown() override { EXPECT_EQ(cudaFree(memory_), cudaSuccess); }

  struct Tiled {
    CUtensorMapDataType type = CU_TENSOR_MAP_DATA_TYPE_FLOAT16;
    cuuint32_t rank = 2;
    cuuint64_t address_offset = 0;
    cuuint64_t dims[5] = {64, 64, 1, 1, 1};
    cuuint64_t strides[4] = {128, 8192, 8192, 8192};
    cuuint32_t box[5] = {64, 8, 1, 1, 1};
    cuuint32_t element_strides[5] = {1, 1, 1, 1, 1};
    CUtensorMapInterleave interleave = CU_TENSOR_MAP_INTERLEAVE_NONE;
    CUtensorMapSwizzle swizzle = CU_TENSOR_MAP_SWIZZLE_128B;
    CUtensorMapFloatOOBfill fill = CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE;
  };
  CUresult encode(const Tiled& tiled) {
    static auto* const function = entry<decltype(cuTensorMapEncodeTiled)>("cuTensorMapEncodeTiled");
    return function(&map_, tiled.type, tiled.rank,
                    static_cast<char*>(memory_) + tiled.address_offset, tiled.dims, tiled.strides,
                    tiled.box, tiled.element_strides, tiled.interleave, tiled.swizzle,
                    CU_TENSOR_MAP_L2_PROMOTION_NONE, tiled.fill);
  }
  template <class Change>
  CUresult changed(Change change) {
    Tiled tiled;
    change(tiled);
    return encode(tiled);
  }

  void* memory_ = nullptr;
  CUtensorMap map_{};
};

// Of Blackwell alone: known since CUDA 12.8, and refused on this device.
TEST_F(TensorMaps, Im2colAlongWNeedsAnotherDevice) {
  auto* const function =
      entry<decltype(cuTensorMapEncodeIm2colWide)>("cuTensorMapEncodeIm2colWide", 12080);
  const cuuint64_t dims[] = {64, 8, 8, 4}, strides[] = {128, 1024, 8192};
  const cuuint32_t element_strides[] = {1, 1, 1, 1};
  EXPECT_EQ(function(&map_, CU_TENSOR_MAP_DATA_TYPE_FLOAT16, 4, memory_, dims, strides, 0, 0, 64,
                     16, element_strides, CU_TENSOR_MAP_INTERLEAVE_NONE,
                     CU_TENSOR_MAP_IM2COL_WIDE_MODE_W, CU_TENSOR_MAP_SWIZZLE_128B,
                     CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE),
            CUDA_ERROR_INVALID_VALUE);
}

TEST_F(TensorMaps, AnOrdinaryMapIsEncoded) {
  EXPECT_EQ(encode({}), CUDA_SUCCESS);
  auto* const replace = entry<decltype(cuTensorMapReplaceAddress)>("cuTensorMapReplaceAddress");
  EXPECT_EQ(replace(&map_, static_cast<char*>(memory_) + 4096), CUDA_SUCCESS);
}

TEST_F(TensorMaps, EveryRuleIsChecked) {
  constexpr CUresult invalid = CUDA_ERROR_INVALID_VALUE;
  EXPECT_EQ(changed([](Tiled& t) { t.rank = 0; }), invalid);
  EXPECT_EQ(changed([](Tiled& t) { t.rank = 6; }), invalid);
  EXPECT_EQ(changed([](Tiled& t) { t.address_offset = 8; }), invalid);
  EXPECT_EQ(changed([](Tiled& t) { t.dims[0] = 0; }), invalid);
  EXPECT_EQ(changed([](Tiled& t) { t.dims[1] = (1ull << 32) + 1; }), invalid);
  EXPECT_EQ(changed([](Tiled& t) { t.strides[0] = 136; }), invalid);
  EXPECT_EQ(changed([](Tiled& t) { t.strides[0] = 1ull << 40; }), invalid);
  EXPECT_EQ(changed([](Tiled& t) { t.box[1] = 257; }), invalid);
  EXPECT_EQ(changed([](Tiled& t) { t.box[1] = 65536 + 8; }), invalid);
  EXPECT_EQ(changed([](Tiled& t) { t.box[0] = 128; }), invalid);  // wider than the swizzle
  EXPECT_EQ(changed([](Tiled& t) { t.box[0] = 12; }), invalid);   // no multiple of 16 bytes
  EXPECT_EQ(changed([](Tiled& t) { t.element_strides[1] = 9; }), invalid);
  EXPECT_EQ(changed([](Tiled& t) { t.element_strides[1] = 0; }), invalid);
  EXPECT_EQ(changed([](Tiled& t) {
              t.type = CU_TENSOR_MAP_DATA_TYPE_UINT16;
              t.fill = CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA;
            }),
            invalid);
  EXPECT_EQ(changed([](Tiled& t) { t.interleave = CU_TENSOR_MAP_INTERLEAVE_16B; }), invalid);
}

TEST_F(TensorMaps, Im2colIsEncoded) {
  auto* const function = entry<decltype(cuTensorMapEncodeIm2col)>("cuTensorMapEncodeIm2col");
  const cuuint64_t dims[] = {64, 16, 16, 2}, strides[] = {128, 2048, 32768};
  const int lower[] = {-1, -1}, upper[] = {-1, -1};
  const cuuint32_t steps[] = {1, 1, 1, 1};
  const auto encode = [&](cuuint32_t rank, cuuint32_t channels) {
    return function(&map_, CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, rank, memory_, dims, strides, lower,
                    upper, channels, 32, steps, CU_TENSOR_MAP_INTERLEAVE_NONE,
                    CU_TENSOR_MAP_SWIZZLE_128B, CU_TENSOR_MAP_L2_PROMOTION_NONE,
                    CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  };
  EXPECT_EQ(encode(4, 64), CUDA_SUCCESS);
  EXPECT_EQ(encode(2, 64), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(encode(4, 257), CUDA_ERROR_INVALID_VALUE);
}

TEST(DriverEntries, AreFoundByNameAndVersion) {
  void* found = nullptr;
  cudaDriverEntryPointQueryResult status{};
  EXPECT_EQ(cudaGetDriverEntryPointByVersion("cuNoSuchThing", &found, 13000, 0, &status),
            cudaSuccess);
  EXPECT_EQ(status, cudaDriverEntryPointSymbolNotFound);
  EXPECT_EQ(found, nullptr);
  EXPECT_EQ(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &found, 11000, 0, &status),
            cudaSuccess);
  EXPECT_EQ(status, cudaDriverEntryPointVersionNotSufficent);
  EXPECT_EQ(found, nullptr);
  EXPECT_EQ(cudaGetDriverEntryPointByVersion("cuInit", &found, 13000, 9, &status),
            cudaErrorInvalidValue);
  EXPECT_EQ(cudaGetDriverEntryPointByVersion("cuInit", &found, 99999, 0, &status),
            cudaErrorInvalidValue);
  cudaGetLastError();
}

TEST(DriverEntries, AnswerAsTheRuntimeDoes) {
  int version = 0, runtime = 0, count = 0, warp = 0;
  EXPECT_EQ(entry<decltype(cuInit)>("cuInit")(0), CUDA_SUCCESS);
  EXPECT_EQ(entry<decltype(cuDriverGetVersion)>("cuDriverGetVersion")(&version), CUDA_SUCCESS);
  ASSERT_EQ(cudaDriverGetVersion(&runtime), cudaSuccess);
  EXPECT_EQ(version, runtime);
  EXPECT_EQ(entry<decltype(cuDeviceGetCount)>("cuDeviceGetCount")(&count), CUDA_SUCCESS);
  EXPECT_GE(count, 1);
  CUdevice device = -1;
  EXPECT_EQ(entry<decltype(cuDeviceGet)>("cuDeviceGet")(&device, 0), CUDA_SUCCESS);
  EXPECT_EQ(entry<decltype(cuDeviceGetAttribute)>("cuDeviceGetAttribute")(
                &warp, CU_DEVICE_ATTRIBUTE_WARP_SIZE, device),
            CUDA_SUCCESS);
  EXPECT_EQ(warp, 32);
  const char* text = nullptr;
  EXPECT_EQ(entry<decltype(cuGetErrorName)>("cuGetErrorName")(CUDA_ERROR_INVALID_VALUE, &text),
            CUDA_SUCCESS);
  EXPECT_EQ(std::string(text), "CUDA_ERROR_INVALID_VALUE");
  EXPECT_EQ(entry<decltype(cuGetErrorString)>("cuGetErrorString")(CUDA_ERROR_INVALID_VALUE, &text),
            CUDA_SUCCESS);
  EXPECT_EQ(std::string(text), "invalid argument");
}

}  // namespace
