// links: cuda
// A library, loaded without a context: its kernels are counted, listed, asked and launched by name.
#include <string>
#include <vector>

#include "driver.hpp"

int main() {
  constexpr unsigned n = 512;
  CHECK(cuInit(0));
  CUlibrary library;
  CHECK(cuLibraryLoadData(&library, scale_and_shift, nullptr, nullptr, 0, nullptr, nullptr, 0));
  CUcontext context;
  CHECK(cuCtxCreate(&context, nullptr, 0, 0));
  unsigned count = 0;
  CHECK(cuLibraryGetKernelCount(&count, library));
  std::vector<CUkernel> kernels(count);
  CHECK(cuLibraryEnumerateKernels(kernels.data(), count, library));
  int wrong = count != 2;
  CUdeviceptr data;
  CHECK(cuMemAlloc(&data, n * sizeof(float)));
  std::vector<float> values(n), got(n);
  for (unsigned i = 0; i < n; ++i) values[i] = static_cast<float>(i) - 100.0f;
  CHECK(cuMemcpyHtoD(data, values.data(), n * sizeof(float)));
  for (const CUkernel kernel : kernels) {
    const char* name = nullptr;
    CHECK(cuKernelGetName(&name, kernel));
    CUlibrary owner = nullptr;
    CHECK(cuKernelGetLibrary(&owner, kernel));
    CUkernel by_name = nullptr;
    CHECK(cuLibraryGetKernel(&by_name, library, name));
    wrong += owner != library || by_name != kernel;
    std::size_t offset = 0, bytes = 0;
    CHECK(cuKernelGetParamInfo(kernel, 2, &offset, &bytes));
    wrong += offset != 12 || bytes != 4;
    wrong += cuKernelGetParamInfo(kernel, 3, &offset, &bytes) != CUDA_ERROR_INVALID_VALUE;
    CUfunction function;
    CHECK(cuKernelGetFunction(&function, kernel));
    unsigned length = n;
    float operand = 4.0f;
    void* arguments[] = {&data, &length, &operand};
    CHECK(cuLaunchKernel(function, 2, 1, 1, 256, 1, 1, 0, nullptr, arguments, nullptr));
    const bool scales = std::string(name) == "scale";
    wrong += !scales && std::string(name) != "shift";
    for (float& value : values) value = scales ? value * operand : value + operand;
  }
  CHECK(cuMemcpyDtoH(got.data(), data, n * sizeof(float)));
  for (unsigned i = 0; i < n; ++i) wrong += !(got[i] == values[i]);
  CUkernel missing;
  wrong += cuLibraryGetKernel(&missing, library, "turn") != CUDA_ERROR_NOT_FOUND;
  CHECK(cuMemFree(data));
  CHECK(cuLibraryUnload(library));
  CHECK(cuCtxDestroy(context));
  return ended(wrong);
}
