// links: cuda
// A buffer that grows without a copy: physical memory is mapped behind what is mapped already, and
// then all of it at other addresses.
#include <cuda.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

#define CHECK(call)                                                 \
  do {                                                              \
    if (const CUresult result = (call); result != CUDA_SUCCESS) {   \
      const char* name = nullptr;                                   \
      cuGetErrorName(result, &name);                                \
      std::printf("line %d: %s gives %s\n", __LINE__, #call, name); \
      std::exit(1);                                                 \
    }                                                               \
  } while (false)

static const char* const code = R"(
.version 7.0
.target sm_70
.address_size 64
.visible .entry scale(.param .u64 data, .param .u32 n, .param .f32 factor) {
  .reg .pred %p<2>;
  .reg .f32 %f<4>;
  .reg .b32 %r<6>;
  .reg .b64 %rd<5>;
  ld.param.u64 %rd1, [data];
  ld.param.u32 %r1, [n];
  ld.param.f32 %f1, [factor];
  mov.u32 %r2, %ctaid.x;
  mov.u32 %r3, %ntid.x;
  mov.u32 %r4, %tid.x;
  mad.lo.s32 %r5, %r2, %r3, %r4;
  setp.ge.u32 %p1, %r5, %r1;
  @%p1 bra SCALED;
  cvta.to.global.u64 %rd2, %rd1;
  mul.wide.u32 %rd3, %r5, 4;
  add.s64 %rd4, %rd2, %rd3;
  ld.global.f32 %f2, [%rd4];
  mul.f32 %f3, %f2, %f1;
  st.global.f32 [%rd4], %f3;
SCALED:
  ret;
}
)";

static CUmemAllocationProp on_device_0() {
  CUmemAllocationProp properties{};
  properties.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  properties.location = {CU_MEM_LOCATION_TYPE_DEVICE, {0}};
  return properties;
}

int main() {
  CHECK(cuInit(0));
  CUcontext context;
  CHECK(cuCtxCreate(&context, nullptr, 0, 0));
  int supported = 0;
  CHECK(
      cuDeviceGetAttribute(&supported, CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED, 0));
  if (supported != 1) return 1;
  const CUmemAllocationProp properties = on_device_0();
  std::size_t unit = 0;
  CHECK(cuMemGetAllocationGranularity(&unit, &properties, CU_MEM_ALLOC_GRANULARITY_MINIMUM));
  constexpr int pieces = 3;
  CUdeviceptr base;
  CHECK(cuMemAddressReserve(&base, 2 * pieces * unit, 0, 0, 0));
  CUmemAccessDesc access{};
  access.location = properties.location;
  access.flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;

  CUmodule module;
  CUfunction scale;
  CHECK(cuModuleLoadData(&module, code));
  CHECK(cuModuleGetFunction(&scale, module, "scale"));
  const std::size_t per_piece = unit / sizeof(float);
  std::vector<CUmemGenericAllocationHandle> handles(pieces);
  std::vector<float> expected;
  int wrong = 0;
  for (int piece = 0; piece < pieces; ++piece) {
    CHECK(cuMemCreate(&handles[piece], unit, &properties, 0));
    CHECK(cuMemMap(base + piece * unit, unit, 0, handles[piece], 0));
    CHECK(cuMemSetAccess(base + piece * unit, unit, &access, 1));
    std::vector<float> fresh(per_piece);
    for (std::size_t i = 0; i < per_piece; ++i)
      fresh[i] = static_cast<float>((i * 7 + piece) % 1001) - 500.0f;
    CHECK(cuMemcpyHtoD(base + piece * unit, fresh.data(), unit));
    expected.insert(expected.end(), fresh.begin(), fresh.end());
    // Over the border between the pieces.
    unsigned n = 1000;
    const std::size_t first = piece == 0 ? 0 : piece * per_piece - n / 2;
    CUdeviceptr from = base + first * sizeof(float);
    float factor = 2.0f;
    void* arguments[] = {&from, &n, &factor};
    CHECK(cuLaunchKernel(scale, 8, 1, 1, 128, 1, 1, 0, nullptr, arguments, nullptr));
    for (std::size_t i = first; i < first + n; ++i) expected[i] *= 2.0f;
  }
  std::vector<float> got(expected.size());
  CHECK(cuMemcpyDtoH(got.data(), base, pieces * unit));  // one copy of all pieces
  for (std::size_t i = 0; i < got.size(); ++i) wrong += !(got[i] == expected[i]);

  // The same memory elsewhere, in another order; its handles are not needed for that any more.
  CHECK(cuMemUnmap(base, pieces * unit));
  for (int piece = 0; piece < pieces; ++piece) {
    CHECK(cuMemMap(base + (2 * pieces - 1 - piece) * unit, unit, 0, handles[piece], 0));
    CHECK(cuMemRelease(handles[piece]));
  }
  CHECK(cuMemSetAccess(base + pieces * unit, pieces * unit, &access, 1));
  unsigned long long flags = 0;
  CHECK(cuMemGetAccess(&flags, &properties.location, base + pieces * unit));
  wrong += flags != CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
  for (int piece = 0; piece < pieces; ++piece) {
    CHECK(cuMemcpyDtoH(got.data(), base + (2 * pieces - 1 - piece) * unit, unit));
    for (std::size_t i = 0; i < per_piece; ++i)
      wrong += !(got[i] == expected[piece * per_piece + i]);
  }
  CHECK(cuMemUnmap(base + pieces * unit, pieces * unit));
  wrong += cuMemcpyDtoH(got.data(), base, unit) == CUDA_SUCCESS;  // nothing lives there
  CHECK(cuMemAddressFree(base, 2 * pieces * unit));
  CHECK(cuModuleUnload(module));
  CHECK(cuCtxDestroy(context));
  if (wrong == 0)
    std::printf("ok\n");
  else
    std::printf("%d wrong\n", wrong);
  return wrong != 0;
}
