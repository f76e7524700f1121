// Arrays, textures and surfaces of the driver.
#include <cstring>
#include <vector>

#include "tests/sim/cuda/driver.hpp"

using driver_tests::Driver;

namespace {

// (u64 texture, f32 x, f32 y, u64 out): out[0..3] = the four channels read at (x, y), as bits.
constexpr const char* fetch_code = R"(
.version 7.0
.target sm_70
.address_size 64
.visible .entry fetch(.param .u64 texture, .param .f32 x, .param .f32 y, .param .u64 out) {
  .reg .f32 %f<3>;
  .reg .b32 %r<5>;
  .reg .b64 %rd<4>;
  ld.param.u64 %rd1, [texture];
  ld.param.f32 %f1, [x];
  ld.param.f32 %f2, [y];
  ld.param.u64 %rd2, [out];
  cvta.to.global.u64 %rd3, %rd2;
  tex.2d.v4.u32.f32 {%r1, %r2, %r3, %r4}, [%rd1, {%f1, %f2}];
  st.global.u32 [%rd3], %r1;
  st.global.u32 [%rd3+4], %r2;
  st.global.u32 [%rd3+8], %r3;
  st.global.u32 [%rd3+12], %r4;
  ret;
}
// (u64 surface): writes 0x30 + x into byte x of row 1.
.visible .entry draw(.param .u64 surface) {
  .reg .b16 %rs<2>;
  .reg .b32 %r<4>;
  .reg .b64 %rd<2>;
  ld.param.u64 %rd1, [surface];
  mov.u32 %r1, %tid.x;
  add.u32 %r2, %r1, 48;
  cvt.u16.u32 %rs1, %r2;
  mov.u32 %r3, 1;
  sust.b.2d.b8.trap [%rd1, {%r1, %r3}], {%rs1};
  ret;
}
)";

CUfunction function_named(const char* name) {
  CUmodule module = nullptr;
  CUfunction function = nullptr;
  EXPECT_DONE(cuModuleLoadData(&module, fetch_code));
  EXPECT_DONE(cuModuleGetFunction(&function, module, name));
  return function;
}

std::vector<unsigned> fetched(CUtexObject texture, float x, float y) {
  CUdeviceptr out = 0;
  EXPECT_DONE(cuMemAlloc(&out, 16));
  void* arguments[] = {&texture, &x, &y, &out};
  EXPECT_DONE(
      cuLaunchKernel(function_named("fetch"), 1, 1, 1, 1, 1, 1, 0, nullptr, arguments, nullptr));
  std::vector<unsigned> bits(4);
  EXPECT_DONE(cuMemcpyDtoH(bits.data(), out, 16));
  EXPECT_DONE(cuMemFree(out));
  return bits;
}

float as_float(unsigned bits) {
  float value = 0;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

// 5 x 3 texels of two bytes: (10 y + x, 100 + x).
CUarray two_channels() {
  const CUDA_ARRAY_DESCRIPTOR asked{5, 3, CU_AD_FORMAT_UNSIGNED_INT8, 2};
  CUarray array = nullptr;
  EXPECT_DONE(cuArrayCreate(&array, &asked));
  std::vector<unsigned char> texels(16 * 3, 0xee);
  for (std::size_t y = 0; y < 3; ++y)
    for (std::size_t x = 0; x < 5; ++x) {
      texels[16 * y + 2 * x] = static_cast<unsigned char>(10 * y + x);
      texels[16 * y + 2 * x + 1] = static_cast<unsigned char>(100 + x);
    }
  CUDA_MEMCPY2D copy{};
  copy.srcMemoryType = CU_MEMORYTYPE_HOST;
  copy.srcHost = texels.data();
  copy.srcPitch = 16;
  copy.dstMemoryType = CU_MEMORYTYPE_ARRAY;
  copy.dstArray = array;
  copy.WidthInBytes = 10;
  copy.Height = 3;
  EXPECT_DONE(cuMemcpy2D(&copy));
  return array;
}

CUDA_RESOURCE_DESC resource(CUarray array) {
  CUDA_RESOURCE_DESC desc{};
  desc.resType = CU_RESOURCE_TYPE_ARRAY;
  desc.res.array.hArray = array;
  return desc;
}

TEST_F(Driver, ArraysKeepWhatTheyAreMadeOf) {
  const CUarray array = two_channels();
  CUDA_ARRAY_DESCRIPTOR flat{};
  ASSERT_DONE(cuArrayGetDescriptor(&flat, array));
  EXPECT_EQ(flat.Width, 5u);
  EXPECT_EQ(flat.Height, 3u);
  EXPECT_EQ(flat.Format, CU_AD_FORMAT_UNSIGNED_INT8);
  EXPECT_EQ(flat.NumChannels, 2u);
  const CUDA_ARRAY3D_DESCRIPTOR asked{4, 6, 2, CU_AD_FORMAT_HALF, 4, CUDA_ARRAY3D_LAYERED};
  CUarray layers = nullptr;
  CUDA_ARRAY3D_DESCRIPTOR told{};
  ASSERT_DONE(cuArray3DCreate(&layers, &asked));
  ASSERT_DONE(cuArray3DGetDescriptor(&told, layers));
  EXPECT_EQ(told.Depth, 2u);
  EXPECT_EQ(told.Format, CU_AD_FORMAT_HALF);
  EXPECT_EQ(told.NumChannels, 4u);
  EXPECT_EQ(told.Flags, unsigned{CUDA_ARRAY3D_LAYERED});
  EXPECT_DONE(cuArrayDestroy(layers));
  EXPECT_RESULT(cuArrayDestroy(layers), CUDA_ERROR_INVALID_HANDLE);
  const CUDA_ARRAY_DESCRIPTOR three{4, 4, CU_AD_FORMAT_FLOAT, 3};
  EXPECT_RESULT(cuArrayCreate(&layers, &three), CUDA_ERROR_INVALID_VALUE);
  EXPECT_DONE(cuArrayDestroy(array));
}

TEST_F(Driver, BytesGoThroughArrays) {
  const CUDA_ARRAY_DESCRIPTOR line{8, 0, CU_AD_FORMAT_SIGNED_INT16, 1};
  CUarray a = nullptr, b = nullptr;
  ASSERT_DONE(cuArrayCreate(&a, &line));
  ASSERT_DONE(cuArrayCreate(&b, &line));
  const short from[8] = {1, 2, 3, 4, 5, 6, 7, 8};
  short to[8] = {};
  ASSERT_DONE(cuMemcpyHtoA(a, 0, from, sizeof from));
  ASSERT_DONE(cuMemcpyHtoA(b, 0, from, sizeof from));
  ASSERT_DONE(cuMemcpyAtoA(b, 4, a, 0, 8));
  ASSERT_DONE(cuMemcpyAtoH(to, b, 2, 10));
  EXPECT_EQ(std::vector<short>(to, to + 6), (std::vector<short>{2, 1, 2, 3, 4, 0}));
  EXPECT_RESULT(cuMemcpyAtoH(to, b, 2, 16), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(Driver, TexturesReadIntegersAsTheFlagSays) {
  const CUarray array = two_channels();
  const CUDA_RESOURCE_DESC from = resource(array);
  CUDA_TEXTURE_DESC how{};
  for (CUaddress_mode& mode : how.addressMode) mode = CU_TR_ADDRESS_MODE_CLAMP;
  how.flags = CU_TRSF_READ_AS_INTEGER;
  CUtexObject texture = 0;
  ASSERT_DONE(cuTexObjectCreate(&texture, &from, &how, nullptr));
  EXPECT_EQ(fetched(texture, 3.5f, 2.5f)[0], 23u);
  EXPECT_EQ(fetched(texture, 3.5f, 2.5f)[1], 103u);
  CUDA_TEXTURE_DESC told{};
  ASSERT_DONE(cuTexObjectGetTextureDesc(&told, texture));
  EXPECT_EQ(told.flags, how.flags);
  EXPECT_EQ(told.addressMode[1], CU_TR_ADDRESS_MODE_CLAMP);
  CUDA_RESOURCE_DESC of{};
  ASSERT_DONE(cuTexObjectGetResourceDesc(&of, texture));
  EXPECT_EQ(of.res.array.hArray, array);
  CUDA_RESOURCE_VIEW_DESC view{};
  view.width = 7;
  EXPECT_DONE(cuTexObjectGetResourceViewDesc(&view, texture));
  EXPECT_EQ(view.width, 7u);  // there is none
  EXPECT_DONE(cuTexObjectDestroy(texture));

  how.flags = CU_TRSF_NORMALIZED_COORDINATES;  // 23 of 255; texel 3 of 5 and 2 of 3
  ASSERT_DONE(cuTexObjectCreate(&texture, &from, &how, nullptr));
  EXPECT_FLOAT_EQ(as_float(fetched(texture, 0.7f, 0.9f)[0]), 23.0f / 255.0f);
  ASSERT_DONE(cuTexObjectGetTextureDesc(&told, texture));
  EXPECT_EQ(told.flags, how.flags);
  EXPECT_DONE(cuTexObjectDestroy(texture));
  how.flags = 0x8000;
  EXPECT_RESULT(cuTexObjectCreate(&texture, &from, &how, nullptr), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(Driver, PitchedMemoryIsATextureToo) {
  CUdeviceptr memory = 0;
  std::size_t pitch = 0;
  ASSERT_DONE(cuMemAllocPitch(&memory, &pitch, 4 * sizeof(float), 2, 4));
  const float rows[2][4] = {{1, 2, 3, 4}, {5, 6, 7, 8}};
  CUDA_MEMCPY2D copy{};
  copy.srcMemoryType = CU_MEMORYTYPE_HOST;
  copy.srcHost = rows;
  copy.dstMemoryType = CU_MEMORYTYPE_DEVICE;
  copy.dstDevice = memory;
  copy.dstPitch = pitch;
  copy.WidthInBytes = sizeof rows[0];
  copy.Height = 2;
  ASSERT_DONE(cuMemcpy2D(&copy));
  CUDA_RESOURCE_DESC from{};
  from.resType = CU_RESOURCE_TYPE_PITCH2D;
  from.res.pitch2D = {memory, CU_AD_FORMAT_FLOAT, 1, 4, 2, pitch};
  CUDA_TEXTURE_DESC how{};
  for (CUaddress_mode& mode : how.addressMode) mode = CU_TR_ADDRESS_MODE_CLAMP;
  how.filterMode = CU_TR_FILTER_MODE_LINEAR;
  CUtexObject texture = 0;
  ASSERT_DONE(cuTexObjectCreate(&texture, &from, &how, nullptr));
  EXPECT_FLOAT_EQ(as_float(fetched(texture, 2.0f, 1.0f)[0]), 4.5f);  // of 2, 3, 6 and 7
  CUDA_RESOURCE_DESC told{};
  ASSERT_DONE(cuTexObjectGetResourceDesc(&told, texture));
  EXPECT_EQ(told.res.pitch2D.devPtr, memory);
  EXPECT_EQ(told.res.pitch2D.format, CU_AD_FORMAT_FLOAT);
  EXPECT_EQ(told.res.pitch2D.pitchInBytes, pitch);
}

TEST_F(Driver, SurfacesWriteArrays) {
  const CUDA_ARRAY3D_DESCRIPTOR asked{
      8, 2, 0, CU_AD_FORMAT_UNSIGNED_INT8, 1, CUDA_ARRAY3D_SURFACE_LDST};
  CUarray array = nullptr;
  ASSERT_DONE(cuArray3DCreate(&array, &asked));
  const CUDA_RESOURCE_DESC from = resource(array);
  CUsurfObject surface = 0;
  ASSERT_DONE(cuSurfObjectCreate(&surface, &from));
  void* arguments[] = {&surface};
  ASSERT_DONE(
      cuLaunchKernel(function_named("draw"), 1, 1, 1, 8, 1, 1, 0, nullptr, arguments, nullptr));
  char row[9] = "";
  CUDA_MEMCPY2D copy{};
  copy.srcMemoryType = CU_MEMORYTYPE_ARRAY;
  copy.srcArray = array;
  copy.srcY = 1;
  copy.srcXInBytes = 2;
  copy.dstMemoryType = CU_MEMORYTYPE_HOST;
  copy.dstHost = row;
  copy.WidthInBytes = 6;
  copy.Height = 1;
  ASSERT_DONE(cuMemcpy2D(&copy));
  EXPECT_STREQ(row, "234567");
  EXPECT_DONE(cuSurfObjectDestroy(surface));
}

TEST_F(Driver, AGraphShowsItsCopiesFromArrays) {
  const CUarray array = two_channels();
  char row[10] = "";
  CUDA_MEMCPY3D copy{};
  copy.srcMemoryType = CU_MEMORYTYPE_ARRAY;
  copy.srcArray = array;
  copy.srcXInBytes = 4;
  copy.srcY = 2;
  copy.dstMemoryType = CU_MEMORYTYPE_HOST;
  copy.dstHost = row;
  copy.WidthInBytes = 6;
  copy.Height = 1;
  copy.Depth = 1;
  CUgraph graph = nullptr;
  CUgraphNode node = nullptr;
  CUgraphExec exec = nullptr;
  ASSERT_DONE(cuGraphCreate(&graph, 0));
  ASSERT_DONE(cuGraphAddMemcpyNode(&node, graph, nullptr, 0, &copy, context_));
  CUDA_MEMCPY3D told{};
  ASSERT_DONE(cuGraphMemcpyNodeGetParams(node, &told));
  EXPECT_EQ(told.srcArray, array);
  EXPECT_EQ(told.srcXInBytes, 4u);
  EXPECT_EQ(told.srcY, 2u);
  EXPECT_EQ(told.WidthInBytes, 6u);
  ASSERT_DONE(cuGraphInstantiate(&exec, graph, 0));
  ASSERT_DONE(cuGraphLaunch(exec, nullptr));
  ASSERT_DONE(cuCtxSynchronize());
  EXPECT_EQ(std::string(row, 6), (std::string{22, 102, 23, 103, 24, 104}));
}

TEST_F(Driver, MipmappedArraysHaveLevels) {
  const CUDA_ARRAY3D_DESCRIPTOR asked{8, 4, 0, CU_AD_FORMAT_FLOAT, 1, 0};
  CUmipmappedArray levels = nullptr;
  CUarray second = nullptr;
  ASSERT_DONE(cuMipmappedArrayCreate(&levels, &asked, 3));
  ASSERT_DONE(cuMipmappedArrayGetLevel(&second, levels, 1));
  CUDA_ARRAY_DESCRIPTOR told{};
  ASSERT_DONE(cuArrayGetDescriptor(&told, second));
  EXPECT_EQ(told.Width, 4u);
  EXPECT_EQ(told.Height, 2u);
  EXPECT_RESULT(cuMipmappedArrayGetLevel(&second, levels, 3), CUDA_ERROR_INVALID_VALUE);
  EXPECT_DONE(cuMipmappedArrayDestroy(levels));
  EXPECT_RESULT(cuMipmappedArrayDestroy(levels), CUDA_ERROR_INVALID_HANDLE);
}

}  // namespace
