#include "app/inspect/resources.hpp"

#include <cuda_runtime_api.h>

#include "base/kernel_name.hpp"
#include "base/refuse.hpp"
#include "lab/profile/demangle.hpp"

namespace aisp::app {
namespace {

// A kernel of which only the code is known, loaded once more.
class LoadedCode {
 public:
  explicit LoadedCode(const KernelCode& code) {
    const std::string& bytes = code.machine_code.empty() ? code.ptx : code.machine_code;
    if (cudaLibraryLoadData(&library_, bytes.c_str(), nullptr, nullptr, 0, nullptr, nullptr, 0) !=
            cudaSuccess ||
        cudaLibraryGetKernel(&kernel_, library_, code.name.c_str()) != cudaSuccess)
      cudaGetLastError();
  }
  LoadedCode(const LoadedCode&) = delete;
  LoadedCode& operator=(const LoadedCode&) = delete;
  ~LoadedCode() {
    if (library_ != nullptr) cudaLibraryUnload(library_);
  }
  const void* function() const { return reinterpret_cast<const void*>(kernel_); }

 private:
  cudaLibrary_t library_ = nullptr;
  cudaKernel_t kernel_ = nullptr;
};

std::string described(const void* function) {
  cudaFuncAttributes has{};
  if (function == nullptr || cudaFuncGetAttributes(&has, function) != cudaSuccess) {
    cudaGetLastError();
    return "not known: the CUDA runtime of this program has not loaded it";
  }
  return base::say(has.numRegs, " registers, ", has.localSizeBytes,
                   " B of local memory (stack, spills), ", has.sharedSizeBytes,
                   " B of static shared memory, up to ", has.maxThreadsPerBlock,
                   " threads a block");
}

}  // namespace

std::string resource_line(const LaunchedKernel& kernel, const std::optional<KernelCode>& code) {
  const std::string name = base::shown_kernel_name(lab::readable(kernel.name)) + ": ";
  if (kernel.function != nullptr || !code) return name + described(kernel.function);
  return name + described(LoadedCode(*code).function());
}

std::string resource_source(bool simulated, const std::string& device, bool machine_code) {
  if (!simulated)
    return base::say("from the CUDA runtime (cudaFuncGetAttributes) on ", device,
                     ": what the assembler has given them");
  return base::say(
      "from the simulator: registers are counted in the PTX, the assembler's may differ; ",
      machine_code ? "local memory is that of the machine code in the program"
                   : "local memory is what the PTX declares, without spills");
}

}  // namespace aisp::app
