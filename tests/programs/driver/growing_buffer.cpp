// links: cuda
// A buffer that grows without a copy: physical memory is mapped behind what is mapped already, and
// then all of it at other addresses.
#include <vector>

#include "driver.hpp"

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
  CHECK(cuModuleLoadData(&module, scale_and_shift));
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
  return ended(wrong);
}
