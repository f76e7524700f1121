// Memory: allocation, fills and copies, addresses and what is mapped at them.
#include <algorithm>
#include <vector>

#include "tests/sim/cuda/driver.hpp"

using driver_tests::Driver;

namespace {

template <class T>
std::vector<T> read(CUdeviceptr from, std::size_t count) {
  std::vector<T> values(count);
  EXPECT_DONE(cuMemcpyDtoH(values.data(), from, count * sizeof(T)));
  return values;
}

TEST_F(Driver, FillsHaveElementsOfOneTwoAndFourBytes) {
  CUdeviceptr memory = 0;
  ASSERT_DONE(cuMemAlloc(&memory, 4096));
  ASSERT_DONE(cuMemsetD8(memory, 0x11, 4096));
  ASSERT_DONE(cuMemsetD16(memory + 4, 0x2233, 3));
  ASSERT_DONE(cuMemsetD32Async(memory + 12, 0x44556677, 2, nullptr));
  const std::vector<unsigned> words = read<unsigned>(memory, 6);
  EXPECT_EQ(words, (std::vector<unsigned>{0x11111111, 0x22332233, 0x11112233, 0x44556677,
                                          0x44556677, 0x11111111}));
  ASSERT_DONE(cuMemsetD2D16(memory, 64, 0x7788, 2, 3));
  const auto halves = read<unsigned short>(memory, 96);
  for (std::size_t i = 0; i < halves.size(); ++i) EXPECT_EQ(halves[i] == 0x7788, i % 32 < 2) << i;
  EXPECT_RESULT(cuMemsetD32(memory + 2, 0, 1), CUDA_ERROR_INVALID_VALUE);
  EXPECT_RESULT(cuMemsetD32(memory, 0, 1025), CUDA_ERROR_INVALID_VALUE);
  EXPECT_RESULT(cuMemAlloc(&memory, 0), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(Driver, BoxesAreCopiedByRowsAndPlanes) {
  constexpr std::size_t width = 12, height = 5, depth = 3;
  std::vector<unsigned char> from(16 * 7 * 4), to(20 * 6 * 3, 0);
  for (std::size_t i = 0; i < from.size(); ++i) from[i] = static_cast<unsigned char>(i % 251);
  CUdeviceptr memory = 0;
  ASSERT_DONE(cuMemAlloc(&memory, from.size()));
  ASSERT_DONE(cuMemcpyHtoD(memory, from.data(), from.size()));
  CUDA_MEMCPY3D box{};
  box.srcMemoryType = CU_MEMORYTYPE_DEVICE;
  box.srcDevice = memory;
  box.srcPitch = 16;
  box.srcHeight = 7;
  box.srcXInBytes = 2;
  box.srcY = 1;
  box.srcZ = 1;
  box.dstMemoryType = CU_MEMORYTYPE_HOST;
  box.dstHost = to.data();
  box.dstPitch = 20;
  box.dstHeight = 6;
  box.dstXInBytes = 3;
  box.WidthInBytes = width;
  box.Height = height;
  box.Depth = depth;
  ASSERT_DONE(cuMemcpy3D(&box));
  for (std::size_t z = 0; z < 3; ++z)
    for (std::size_t y = 0; y < 6; ++y)
      for (std::size_t x = 0; x < 20; ++x) {
        const bool inside = y < height && x >= 3 && x < 3 + width;
        const int expected = inside ? from[(z + 1) * 112 + (y + 1) * 16 + x - 3 + 2] : 0;
        ASSERT_EQ(to[z * 120 + y * 20 + x], expected) << x << ' ' << y << ' ' << z;
      }
  CUDA_MEMCPY2D rows{};
  rows.srcMemoryType = CU_MEMORYTYPE_UNIFIED;
  rows.srcDevice = memory;
  rows.srcPitch = 16;
  rows.dstMemoryType = CU_MEMORYTYPE_DEVICE;
  rows.dstDevice = memory + 256;
  rows.dstPitch = 32;
  rows.WidthInBytes = 8;
  rows.Height = 2;
  ASSERT_DONE(cuMemcpy2D(&rows));
  const auto moved = read<unsigned char>(memory + 256, 40);
  EXPECT_TRUE(std::equal(moved.begin(), moved.begin() + 8, from.begin()));
  EXPECT_TRUE(std::equal(moved.begin() + 32, moved.end(), from.begin() + 16));
}

TEST_F(Driver, AddressesSayWhatIsThere) {
  CUdeviceptr memory = 0, base = 0, managed = 0;
  ASSERT_DONE(cuMemAlloc(&memory, 1000));
  ASSERT_DONE(cuMemAllocManaged(&managed, 512, CU_MEM_ATTACH_GLOBAL));
  std::size_t bytes = 0;
  EXPECT_DONE(cuMemGetAddressRange(&base, &bytes, memory + 100));
  EXPECT_EQ(base, memory);
  EXPECT_EQ(bytes, 1000u);
  unsigned type = 0, is_managed = 7;
  EXPECT_DONE(cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, memory));
  EXPECT_EQ(type, unsigned{CU_MEMORYTYPE_DEVICE});
  EXPECT_DONE(cuPointerGetAttribute(&is_managed, CU_POINTER_ATTRIBUTE_IS_MANAGED, managed));
  EXPECT_EQ(is_managed, 1u);
  int local = 0, ordinal = 0;
  const auto host = reinterpret_cast<CUdeviceptr>(&local);
  EXPECT_RESULT(cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, host),
                CUDA_ERROR_INVALID_VALUE);
  CUpointer_attribute both[] = {CU_POINTER_ATTRIBUTE_MEMORY_TYPE,
                                CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL};
  void* values[] = {&type, &ordinal};
  EXPECT_DONE(cuPointerGetAttributes(2, both, values, host));
  EXPECT_EQ(type, 0u);
  EXPECT_EQ(ordinal, CU_DEVICE_INVALID);
}

CUmemAllocationProp physical() {
  CUmemAllocationProp properties{};
  properties.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  properties.location = {CU_MEM_LOCATION_TYPE_DEVICE, {0}};
  return properties;
}

TEST_F(Driver, MappedMemoryIsThereWhenItMayBeTouched) {
  const CUmemAllocationProp properties = physical();
  std::size_t unit = 0, free_before = 0, free_now = 0, total = 0;
  ASSERT_DONE(
      cuMemGetAllocationGranularity(&unit, &properties, CU_MEM_ALLOC_GRANULARITY_RECOMMENDED));
  ASSERT_DONE(cuMemGetInfo(&free_before, &total));
  CUdeviceptr base = 0;
  ASSERT_DONE(cuMemAddressReserve(&base, 4 * unit, 0, 0, 0));
  EXPECT_EQ(base % unit, 0u);
  EXPECT_RESULT(cuMemsetD8(base, 1, 16), CUDA_ERROR_INVALID_VALUE);
  CUmemGenericAllocationHandle handle = 0;
  ASSERT_DONE(cuMemCreate(&handle, 2 * unit, &properties, 0));
  EXPECT_RESULT(cuMemCreate(&handle, unit + 1, &properties, 0), CUDA_ERROR_INVALID_VALUE);
  ASSERT_DONE(cuMemGetInfo(&free_now, &total));
  EXPECT_EQ(free_before - free_now, 2 * unit);
  EXPECT_RESULT(cuMemMap(base + 3 * unit, 2 * unit, 0, handle, 0), CUDA_ERROR_INVALID_VALUE);
  ASSERT_DONE(cuMemMap(base + unit, 2 * unit, 0, handle, 0));
  EXPECT_RESULT(cuMemMap(base + 2 * unit, 2 * unit, 0, handle, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_RESULT(cuMemsetD8(base + unit, 1, 16), CUDA_ERROR_INVALID_VALUE);  // nobody may yet
  CUmemAccessDesc access{properties.location, CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
  EXPECT_RESULT(cuMemSetAccess(base, 2 * unit, &access, 1), CUDA_ERROR_INVALID_VALUE);
  ASSERT_DONE(cuMemSetAccess(base + unit, 2 * unit, &access, 1));
  EXPECT_DONE(cuMemsetD8(base + unit, 1, 2 * unit));
  EXPECT_RESULT(cuMemsetD8(base + unit, 1, 2 * unit + 1), CUDA_ERROR_INVALID_VALUE);
  CUmemGenericAllocationHandle again = 0;
  ASSERT_DONE(cuMemRetainAllocationHandle(&again, reinterpret_cast<void*>(base + unit + 5)));
  EXPECT_EQ(again, handle);
  EXPECT_DONE(cuMemRelease(again));
  EXPECT_DONE(cuMemRelease(handle));  // what is mapped stays
  EXPECT_RESULT(cuMemRelease(handle), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(read<unsigned char>(base + 3 * unit - 1, 1)[0], 1);
  EXPECT_RESULT(cuMemFree(base + unit), CUDA_ERROR_INVALID_VALUE);
  EXPECT_RESULT(cuMemAddressFree(base, 4 * unit), CUDA_ERROR_INVALID_VALUE);
  EXPECT_RESULT(cuMemUnmap(base + unit, unit), CUDA_ERROR_INVALID_VALUE);
  EXPECT_DONE(cuMemUnmap(base + unit, 2 * unit));
  ASSERT_DONE(cuMemGetInfo(&free_now, &total));
  EXPECT_EQ(free_now, free_before);
  EXPECT_DONE(cuMemAddressFree(base, 4 * unit));
}

// tests/programs/driver/shared_physical.cpp has two processes.
TEST_F(Driver, HandlesLeaveTheProcessWhereTheyWereRequested) {
  const CUmemAllocationProp properties = physical();
  CUmemGenericAllocationHandle handle = 0;
  ASSERT_DONE(cuMemCreate(&handle, 2 << 20, &properties, 0));
  int file = -1, supported = -1;
  EXPECT_DONE(cuDeviceGetAttribute(
      &supported, CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR_SUPPORTED, 0));
  EXPECT_EQ(supported, 1);
  EXPECT_RESULT(
      cuMemExportToShareableHandle(&file, handle, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0),
      CUDA_ERROR_INVALID_VALUE);
  EXPECT_RESULT(cuMemExportToShareableHandle(&file, handle, CU_MEM_HANDLE_TYPE_FABRIC, 0),
                CUDA_ERROR_NOT_SUPPORTED);
  EXPECT_EQ(file, -1);
  EXPECT_DONE(cuMemRelease(handle));
}

}  // namespace
