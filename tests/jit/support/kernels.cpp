#include "tests/jit/support/kernels.hpp"

#include <cuda_runtime_api.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "base/refuse.hpp"
#include "tests/jit/support/bounds.hpp"

namespace aisp::jit::testing {

static void check(cudaError_t error, const char* call) {
  if (error != cudaSuccess)
    base::refuse(base::Exit::environment, call, ": ", cudaGetErrorString(error));
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
  for (std::size_t at = 0; at < signature.tensors.size(); ++at)
    made.tensors.push_back(
        random_tensor(signature.tensors[at].element, signature.tensors[at].extents,
                      static_cast<unsigned>(seed) * 31 + static_cast<unsigned>(at)));
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

static void compare(const Trial& trial, std::size_t number, const Memory& memory,
                    const RangeTensor& right, std::vector<std::string>& wrong) {
  const std::string value = first_outside(memory.values(), right);
  const std::string outside = memory.written_outside();
  if (!value.empty())
    wrong.push_back(
        base::say(trial.what, " (", trial.variant.emitted.name, "): tensor ", number, " ", value));
  else if (!outside.empty())
    wrong.push_back(base::say(trial.what, ": tensor ", number, " ", outside));
}

static void run_one(Trial& trial, cudaKernel_t kernel, std::vector<std::string>& wrong) {
  const Function& function = trial.variant.function;
  std::vector<Memory> memories;
  std::vector<std::vector<std::int64_t>> extents, arguments;
  for (std::size_t at = 0; at < function.parameters.size(); ++at) {
    memories.emplace_back(function.parameters[at].element, trial.tensors[at], trial.lying[at]);
    const Memory& own = memories.back();
    extents.push_back(own.extents());
    arguments.push_back({static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(own.data()))});
    arguments.back().insert(arguments.back().end(), own.extents().begin(), own.extents().end());
    arguments.back().insert(arguments.back().end(), own.steps().begin(), own.steps().end());
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
  const std::vector<RangeTensor> right = bounds(trial.variant, trial.tensors);
  std::vector<HostTensor> reference = trial.tensors;
  interpret(trial.variant.traced, reference);
  for (std::size_t at = 0; at < memories.size(); ++at) {
    const std::string missed = first_outside(reference[at].values, right[at]);
    if (!missed.empty()) wrong.push_back(trial.what + ": the interpreter's " + missed);
    compare(trial, at, memories[at], right[at], wrong);
  }
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
