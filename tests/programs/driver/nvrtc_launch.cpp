// links: cuda nvrtc
// A kernel that is compiled while the program runs, and launched by the driver.
#include <nvrtc.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "driver.hpp"

static const char* const source = R"(
template <class T>
__device__ T square(T x) { return x * x; }
extern "C" __global__ void norms(const float* points, float* out, int count, int width) {
  extern __shared__ float partial[];
  const int row = blockIdx.x;
  float sum = 0;
  for (int i = threadIdx.x; i < width; i += blockDim.x) sum += square(points[row * width + i]);
  partial[threadIdx.x] = sum;
  __syncthreads();
  for (int half = blockDim.x / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) partial[threadIdx.x] += partial[threadIdx.x + half];
    __syncthreads();
  }
  if (threadIdx.x == 0 && row < count) out[row] = partial[0];
}
)";

static std::string compile() {
  nvrtcProgram program;
  if (nvrtcCreateProgram(&program, source, "norms.cu", 0, nullptr, nullptr) != NVRTC_SUCCESS)
    std::exit(1);
  const char* options[] = {"--gpu-architecture=compute_80", "--std=c++17"};
  if (nvrtcCompileProgram(program, 2, options) != NVRTC_SUCCESS) {
    std::size_t bytes = 0;
    nvrtcGetProgramLogSize(program, &bytes);
    std::string log(bytes, ' ');
    nvrtcGetProgramLog(program, log.data());
    std::printf("%s\n", log.c_str());
    std::exit(1);
  }
  std::size_t bytes = 0;
  nvrtcGetPTXSize(program, &bytes);
  std::string ptx(bytes, ' ');
  nvrtcGetPTX(program, ptx.data());
  nvrtcDestroyProgram(&program);
  return ptx;
}

int main() {
  constexpr int rows = 37, width = 301, threads = 128;
  const std::string ptx = compile();
  CHECK(cuInit(0));
  CUcontext context;
  CHECK(cuCtxCreate(&context, nullptr, 0, 0));
  CUlinkState linker;
  void* image = nullptr;
  std::size_t image_bytes = 0;
  CHECK(cuLinkCreate(0, nullptr, nullptr, &linker));
  CHECK(cuLinkAddData(linker, CU_JIT_INPUT_PTX, const_cast<char*>(ptx.data()), ptx.size(), "norms",
                      0, nullptr, nullptr));
  CHECK(cuLinkComplete(linker, &image, &image_bytes));
  CUmodule module;
  CUfunction norms;
  CHECK(cuModuleLoadData(&module, image));
  CHECK(cuLinkDestroy(linker));
  CHECK(cuModuleGetFunction(&norms, module, "norms"));
  CHECK(cuFuncSetAttribute(norms, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 64 << 10));

  std::vector<float> points(rows * width), got(rows);
  for (int i = 0; i < rows * width; ++i) points[i] = static_cast<float>(i * 13 % 29) - 14.0f;
  CUdeviceptr in, out;
  CHECK(cuMemAlloc(&in, points.size() * sizeof(float)));
  CHECK(cuMemAlloc(&out, rows * sizeof(float)));
  CHECK(cuMemcpyHtoD(in, points.data(), points.size() * sizeof(float)));
  int count = rows, columns = width;
  void* arguments[] = {&in, &out, &count, &columns};
  CHECK(cuLaunchKernel(norms, rows, 1, 1, threads, 1, 1, threads * sizeof(float), nullptr,
                       arguments, nullptr));
  CHECK(cuMemcpyDtoH(got.data(), out, rows * sizeof(float)));
  int wrong = 0;
  for (int row = 0; row < rows; ++row) {
    double sum = 0;  // of integers, which floats of this size hold exactly
    for (int i = 0; i < width; ++i) sum += points[row * width + i] * points[row * width + i];
    wrong += !(got[row] == static_cast<float>(sum));
  }
  CHECK(cuMemFree(in));
  CHECK(cuMemFree(out));
  CHECK(cuCtxDestroy(context));
  return ended(wrong);
}
