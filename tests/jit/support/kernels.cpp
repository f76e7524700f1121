#include "tests/jit/support/kernels.hpp"

#include <cuda_runtime_api.h>
#include <stdlib.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <random>
#include <set>
#include <sstream>

#include "base/number/format.hpp"
#include "base/refuse.hpp"

namespace aisp::jit::testing {

static void check(cudaError_t error, const char* call) {
  if (error != cudaSuccess)
    base::refuse(base::Exit::environment, call, ": ", cudaGetErrorString(error));
}

static std::uint32_t encoded(Element element, double value) {
  switch (element) {
    case Element::f32:
      return base::encode<base::f32>(value);
    case Element::f16:
      return base::encode<base::f16>(value);
    case Element::bf16:
      return base::encode<base::bf16>(value);
    case Element::e4m3:
      return base::encode<base::e4m3>(value);
    case Element::e5m2:
      return base::encode<base::e5m2>(value);
    default:
      return static_cast<std::uint32_t>(static_cast<std::int32_t>(value));
  }
}
static double decoded(Element element, std::uint32_t code) {
  switch (element) {
    case Element::f32:
      return base::decode<base::f32>(code);
    case Element::f16:
      return base::decode<base::f16>(code);
    case Element::bf16:
      return base::decode<base::bf16>(code);
    case Element::e4m3:
      return base::decode<base::e4m3>(code);
    case Element::e5m2:
      return base::decode<base::e5m2>(code);
    case Element::s8:
      return static_cast<signed char>(code);
    default:
      return static_cast<std::int32_t>(code);
  }
}
static double ulp_of(Element element, double value) {
  switch (element) {
    case Element::f32:
      return base::ulp(base::f32, value);
    case Element::f16:
      return base::ulp(base::f16, value);
    case Element::bf16:
      return base::ulp(base::bf16, value);
    case Element::e4m3:
      return base::ulp(base::e4m3, value);
    case Element::e5m2:
      return base::ulp(base::e5m2, value);
    default:
      return 1.0;
  }
}

// Strides in elements of a tensor that lies so.
static std::vector<std::int64_t> strides(const std::vector<std::int64_t>& extents, Lying lying) {
  std::vector<std::int64_t> result(extents.size(), 1);
  for (std::size_t axis = extents.size() - 1; axis-- > 0;)
    result[axis] =
        result[axis + 1] * extents[axis + 1] + (axis + 2 == extents.size() ? lying.gap : 0);
  return result;
}

TensorFacts facts(Element element, std::vector<std::int64_t> extents, Lying lying) {
  int alignment = 16;
  const int bytes = bytes_of(element);
  std::vector<std::int64_t> steps = strides(extents, lying);
  steps.back() = lying.offset;  // not a stride: the first element's place
  for (const std::int64_t step : steps)
    while (step * bytes % alignment != 0) alignment /= 2;
  return {element, std::move(extents), true, alignment};
}

Trial trial(const Program& program, const Signature& signature, std::vector<Lying> lying, int seed,
            std::vector<HostTensor> arrays) {
  Trial made{program.name(), program.variant(signature), signature, {}, std::move(lying)};
  std::mt19937 random(static_cast<unsigned>(seed));
  for (const TensorFacts& one : signature.tensors) {
    HostTensor tensor{one.extents, {}};
    std::int64_t size = 1;
    for (const std::int64_t extent : one.extents) size *= extent;
    for (std::int64_t at = 0; at < size; ++at) {
      const double uniform = static_cast<double>(random() >> 8) * 0x1p-23 - 1.0;
      tensor.values.push_back(
          rounded(one.element, is_integer(one.element) ? uniform * 9 : uniform * 2));
    }
    made.tensors.push_back(std::move(tensor));
  }
  for (HostTensor& array : arrays) made.tensors.push_back(std::move(array));
  made.lying.resize(made.tensors.size());
  return made;
}

static std::string compiled(const std::string& text) {
  char folder[] = "/tmp/aisp_jit_XXXXXX";
  if (mkdtemp(folder) == nullptr) base::refuse(base::Exit::environment, "no folder for kernels");
  const std::string base = folder;
  std::ofstream(base + "/kernels.cu") << text;
  const std::string command =
      std::string(AISP_NVCC) + " -std=c++20 -I" + AISP_SOURCE_DIR +
      " -gencode arch=compute_90a,code=compute_90a --ptx -diag-suppress 177 -o " + base +
      "/kernels.ptx " + base + "/kernels.cu > " + base + "/log 2>&1";
  const bool good = std::system(command.c_str()) == 0;
  std::ifstream file(base + (good ? "/kernels.ptx" : "/log"));
  std::ostringstream read;
  read << file.rdbuf();
  if (!good) base::refuse(base::Exit::wrong, "nvcc refuses emitted text:\n", read.str(), text);
  std::filesystem::remove_all(base);
  return read.str();
}

struct DeviceTensor {
  Element element;
  std::vector<std::int64_t> extents, steps;
  std::vector<unsigned char> bytes;
  unsigned char* memory = nullptr;
  std::size_t first = 0;

  std::size_t place(std::int64_t at) const {  // in bytes
    std::int64_t offset = 0;
    for (std::size_t axis = extents.size(); axis-- > 0; at /= extents[axis])
      offset += at % extents[axis] * steps[axis];
    return first + static_cast<std::size_t>(offset) * static_cast<std::size_t>(bytes_of(element));
  }
};

static DeviceTensor on_device(const Parameter& parameter, const HostTensor& host, Lying lying) {
  DeviceTensor made{parameter.element, host.extents, strides(host.extents, lying), {}, nullptr, 0};
  const auto width = static_cast<std::size_t>(bytes_of(parameter.element));
  made.first = static_cast<std::size_t>(lying.offset) * width;
  std::size_t size = made.first + width;
  for (std::size_t axis = 0; axis < host.extents.size(); ++axis)
    size += static_cast<std::size_t>((host.extents[axis] - 1) * made.steps[axis]) * width;
  made.bytes.assign(size, 0xff);  // gaps are NaN, and must stay what they are
  for (std::size_t at = 0; at < host.values.size(); ++at) {
    const std::uint32_t code = encoded(parameter.element, host.values[at]);
    std::memcpy(made.bytes.data() + made.place(static_cast<std::int64_t>(at)), &code, width);
  }
  check(cudaMalloc(reinterpret_cast<void**>(&made.memory), size), "cudaMalloc");
  check(cudaMemcpy(made.memory, made.bytes.data(), size, cudaMemcpyHostToDevice), "cudaMemcpy");
  return made;
}

static void compare(const Trial& trial, std::size_t number, const DeviceTensor& device,
                    const HostTensor& want, std::vector<std::string>& wrong) {
  std::vector<unsigned char> got(device.bytes.size());
  check(cudaMemcpy(got.data(), device.memory, got.size(), cudaMemcpyDeviceToHost), "cudaMemcpy");
  const auto width = static_cast<std::size_t>(bytes_of(device.element));
  std::vector<bool> ours(got.size());
  for (std::size_t at = 0; at < want.values.size(); ++at) {
    const std::size_t place = device.place(static_cast<std::int64_t>(at));
    std::fill_n(ours.begin() + static_cast<std::ptrdiff_t>(place), width, true);
    std::uint32_t code = 0;
    std::memcpy(&code, got.data() + place, width);
    const double value = decoded(device.element, code), right = want.values[at];
    // Sums of up to a few thousand f32 numbers, functions of a few ulp; then one rounding.
    const double tolerance =
        1.01 * ulp_of(device.element, right) * (device.element == Element::f32 ? 4 : 1) +
        2e-5 * (1 + std::fabs(right));
    const bool same = value == right || (std::isnan(value) && std::isnan(right));
    if (same || std::fabs(value - right) <= tolerance) continue;
    wrong.push_back(base::say(trial.what, " (", trial.variant.emitted.name, "): tensor ", number,
                              " element ", at, ": ", value, ", right is ", right));
    return;
  }
  for (std::size_t at = 0; at < got.size(); ++at)
    if (!ours[at] && got[at] != 0xff) {
      wrong.push_back(base::say(trial.what, ": tensor ", number,
                                " was written outside of its elements, byte ", at));
      return;
    }
}

static void run_one(Trial& trial, cudaKernel_t kernel, std::vector<std::string>& wrong) {
  const Function& function = trial.variant.function;
  std::vector<DeviceTensor> devices;
  std::vector<std::vector<std::int64_t>> extents, arguments;
  for (std::size_t at = 0; at < function.parameters.size(); ++at) {
    devices.push_back(on_device(function.parameters[at], trial.tensors[at], trial.lying[at]));
    extents.push_back(trial.tensors[at].extents);
    arguments.push_back({static_cast<std::int64_t>(
        reinterpret_cast<std::uintptr_t>(devices.back().memory + devices.back().first))});
    arguments.back().insert(arguments.back().end(), devices.back().extents.begin(),
                            devices.back().extents.end());
    arguments.back().insert(arguments.back().end(), devices.back().steps.begin(),
                            devices.back().steps.end());
  }
  std::vector<void*> pointers;
  for (auto& one : arguments) pointers.push_back(one.data());
  if (trial.variant.emitted.shared_bytes > 48 * 1024)
    check(cudaFuncSetAttribute(reinterpret_cast<const void*>(kernel),
                               cudaFuncAttributeMaxDynamicSharedMemorySize,
                               trial.variant.emitted.shared_bytes),
          "cudaFuncSetAttribute");
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(static_cast<unsigned>(trial.variant.blocks(extents)));
  config.blockDim = dim3(static_cast<unsigned>(trial.variant.emitted.threads));
  config.dynamicSmemBytes = static_cast<std::size_t>(trial.variant.emitted.shared_bytes);
  check(cudaLaunchKernelExC(&config, reinterpret_cast<const void*>(kernel), pointers.data()),
        "cudaLaunchKernelExC");
  check(cudaDeviceSynchronize(), trial.what.c_str());
  std::vector<HostTensor> want = trial.tensors;
  interpret(function, want);
  for (std::size_t at = 0; at < devices.size(); ++at)
    compare(trial, at, devices[at], want[at], wrong);
  for (DeviceTensor& device : devices) check(cudaFree(device.memory), "cudaFree");
}

std::vector<std::string> run_all(std::vector<Trial> trials) {
  std::string text = helpers();
  std::set<std::string> emitted;
  int number = 0;
  for (Trial& trial : trials) {
    // Kernels of several trials may have one name and other text: each gets its own.
    Emitted& own = trial.variant.emitted;
    const std::string name = base::say(own.name, "_", ++number);
    own.kernel.replace(own.kernel.find(own.name + "("), own.name.size(), name);
    own.name = name;
    text += "\n" + own.kernel;
  }
  const std::string ptx = compiled(text);
  cudaLibrary_t library = nullptr;
  check(cudaLibraryLoadData(&library, ptx.c_str(), nullptr, nullptr, 0, nullptr, nullptr, 0),
        "cudaLibraryLoadData");
  std::vector<std::string> wrong;
  for (Trial& trial : trials) {
    cudaKernel_t kernel = nullptr;
    check(cudaLibraryGetKernel(&kernel, library, trial.variant.emitted.name.c_str()),
          "cudaLibraryGetKernel");
    run_one(trial, kernel, wrong);
  }
  check(cudaLibraryUnload(library), "cudaLibraryUnload");
  return wrong;
}

}  // namespace aisp::jit::testing
