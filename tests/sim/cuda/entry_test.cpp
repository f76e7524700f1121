// Which function a name stands for: as a symbol of the library, and by version.
#include <cudaTypedefs.h>
#include <dlfcn.h>

#include <cstdio>
#include <vector>

#include "tests/sim/cuda/driver.hpp"

using driver_tests::Driver;

namespace {

void* symbol(const std::string& name) { return dlsym(RTLD_DEFAULT, name.c_str()); }

struct Found {
  void* function = nullptr;
  CUresult result{};
  CUdriverProcAddressQueryResult status{};
};

Found ask(const char* name, int version, cuuint64_t flags = CU_GET_PROC_ADDRESS_DEFAULT) {
  Found found;
  found.result = cuGetProcAddress(name, &found.function, version, flags, &found.status);
  return found;
}

// A program that needs one of them would not start.
TEST(DriverLibrary, HasEverySymbolOfTheToolkitsOwn) {
  std::FILE* names = popen("nm -D --defined-only " AISP_DRIVER_STUB, "r");
  ASSERT_NE(names, nullptr);
  char line[512], name[256];
  int known = 0;
  while (std::fgets(line, sizeof line, names) != nullptr)
    if (std::sscanf(line, "%*s %*s %255s", name) == 1 && std::string(name).starts_with("cu")) {
      EXPECT_NE(symbol(name), nullptr) << name;
      ++known;
    }
  pclose(names);
  EXPECT_GT(known, 500);
}

TEST(DriverLibrary, IsOneWithTheRuntimeBesideIt) {
  Dl_info driver{}, runtime{};
  auto* find = reinterpret_cast<void* (*)(const char*)>(symbol("aispDriverFunction"));
  ASSERT_EQ(find, nullptr) << "the test is to be linked with libcuda alone";
  ASSERT_NE(dladdr(symbol("cuInit"), &driver), 0);
  EXPECT_TRUE(std::string(driver.dli_fname).ends_with("/lib/sim/libcuda.so.1")) << driver.dli_fname;
  const Found found = ask("cuInit", 13000);
  ASSERT_NE(dladdr(found.function, &runtime), 0);
  EXPECT_TRUE(std::string(runtime.dli_fname).ends_with("/lib/sim/libcudart.so.13"))
      << runtime.dli_fname;
}

TEST(ProcAddress, IsTheNewestThatTheProgramKnows) {
  ASSERT_DONE(cuInit(0));
  EXPECT_RESULT(ask("cuMemAlloc", 2000).result, CUDA_ERROR_NOT_FOUND);
  EXPECT_EQ(ask("cuMemAlloc", 2000).status, CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT);
  EXPECT_EQ(ask("cuMemAlloc", 3020).status, CU_GET_PROC_ADDRESS_SUCCESS);
  EXPECT_EQ(ask("cuMemAlloc", 3020).function, ask("cuMemAlloc", 13000).function);
  EXPECT_EQ(ask("cuNoSuchThing", 13000).status, CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND);
  EXPECT_RESULT(ask("cuNoSuchThing", 13000).result, CUDA_ERROR_NOT_FOUND);
  EXPECT_RESULT(ask("cuInit", 13000, 3).result, CUDA_ERROR_INVALID_VALUE);

  // Versions with other parameters are other functions.
  const auto old_device =
      reinterpret_cast<PFN_cuCtxGetDevice_v2000>(ask("cuCtxGetDevice", 12090).function);
  const auto new_device =
      reinterpret_cast<PFN_cuCtxGetDevice_v13000>(ask("cuCtxGetDevice", 13000).function);
  EXPECT_NE(reinterpret_cast<void*>(old_device), reinterpret_cast<void*>(new_device));
  const auto create_2 = reinterpret_cast<PFN_cuCtxCreate_v3020>(ask("cuCtxCreate", 11030).function);
  const auto create_4 =
      reinterpret_cast<PFN_cuCtxCreate_v12050>(ask("cuCtxCreate", 13000).function);
  CUcontext first = nullptr, second = nullptr;
  ASSERT_DONE(create_2(&first, 0, 0));
  ASSERT_DONE(create_4(&second, nullptr, 0, 0));
  CUdevice device = -1;
  EXPECT_DONE(old_device(&device));
  EXPECT_EQ(device, 0);
  EXPECT_DONE(new_device(&device, first));
  EXPECT_DONE(cuCtxDestroy(second));
  EXPECT_DONE(cuCtxDestroy(first));
}

TEST_F(Driver, StreamNullIsTheThreadsOwnInPerThreadForms) {
  const auto id_of = [](const Found& found) {
    unsigned long long id = 0;
    EXPECT_DONE(reinterpret_cast<PFN_cuStreamGetId_v12000>(found.function)(nullptr, &id));
    return id;
  };
  const auto legacy = ask("cuStreamGetId", 13000, CU_GET_PROC_ADDRESS_LEGACY_STREAM);
  const auto own = ask("cuStreamGetId", 13000, CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM);
  EXPECT_NE(legacy.function, own.function);
  EXPECT_EQ(id_of(ask("cuStreamGetId", 13000)), id_of(legacy));
  EXPECT_NE(id_of(legacy), id_of(own));
  // What knows no stream has one form.
  EXPECT_EQ(ask("cuMemAlloc", 13000, CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM).function,
            ask("cuMemAlloc", 13000).function);
  unsigned long long by_symbol = 0;
  using GetId = CUresult (*)(CUstream, unsigned long long*);
  EXPECT_DONE(reinterpret_cast<GetId>(symbol("cuStreamGetId_ptsz"))(nullptr, &by_symbol));
  EXPECT_EQ(by_symbol, id_of(own));
}

TEST(DriverErrors, HaveNamesAndTexts) {
  const char* text = nullptr;
  EXPECT_DONE(cuGetErrorName(CUDA_ERROR_ILLEGAL_ADDRESS, &text));
  EXPECT_STREQ(text, "CUDA_ERROR_ILLEGAL_ADDRESS");
  EXPECT_DONE(cuGetErrorString(CUDA_ERROR_OUT_OF_MEMORY, &text));
  EXPECT_STREQ(text, "out of memory");
  EXPECT_RESULT(cuGetErrorName(static_cast<CUresult>(12345), &text), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(text, nullptr);
}

TEST_F(Driver, WhatIsNotThereSaysSo) {
  testing::internal::CaptureStderr();
  std::size_t bytes = 0;
  for (int call = 0; call < 2; ++call)
    EXPECT_RESULT(cuCoredumpGetAttribute(CU_COREDUMP_FILE, nullptr, &bytes),
                  CUDA_ERROR_NOT_SUPPORTED);
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "aisp sim: cuCoredumpGetAttribute of the driver is not supported by the simulator\n");
  const void* table = &table;
  const CUuuid id{};
  EXPECT_RESULT(cuGetExportTable(&table, &id), CUDA_ERROR_NOT_SUPPORTED);
  EXPECT_EQ(table, nullptr);
}

}  // namespace
