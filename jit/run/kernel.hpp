// Compiled kernels in a CUDA context, and how they are launched. Works wherever the CUDA runtime
// does: a GPU takes the machine code, the simulator and a newer GPU the PTX.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "jit/build/compile.hpp"

namespace aisp::jit {

// What to compile for the current device: sm_80, sm_90a; on the simulator compute_90a, PTX alone.
const std::string& device_architecture();

// 90 of an H200: what tells architectures apart at every call, without a lock.
std::uint32_t device_capability();

// Refuses (Exit::usage) where `stream` is being captured: compiling and loading would break the
// capture. `name` is the program that would have to be compiled.
void refuse_under_capture(cudaStream_t stream, const std::string& name);

// Refuses (Exit::environment) an error of the CUDA runtime, in its words.
void refuse_runtime(cudaError_t error, const std::string& what);

struct LaunchShape {
  dim3 grid{1}, block{1};
  std::size_t shared_bytes = 0;  // dynamic
  dim3 cluster{1};               // blocks
};

// One argument of a kernel, where it lies and how long it is.
struct Argument {
  const void* data;
  int bytes;
};

class Module;

// A kernel of a module, which must outlive it.
class Kernel {
 public:
  // Refuses arguments that are not as many or not as long as the kernel's parameters, and what the
  // CUDA runtime refuses.
  void launch(cudaStream_t stream, const LaunchShape& shape,
              std::span<const Argument> arguments) const;
  cudaKernel_t handle() const { return handle_; }

 private:
  friend class Module;
  Kernel(std::string program, EntryPoint entry, cudaKernel_t handle)
      : program_(std::move(program)), entry_(std::move(entry)), handle_(handle) {}
  void admit(std::span<const Argument> arguments) const;
  void refuse_failed(cudaError_t error, const LaunchShape& shape) const;

  std::string program_;
  EntryPoint entry_;
  cudaKernel_t handle_;
};

// What was compiled of one text, loaded.
class Module {
 public:
  // Refuses (Exit::environment) what the CUDA runtime takes neither as machine code nor as PTX.
  Module(std::string program, const Compiled& compiled);
  ~Module();
  Module(const Module&) = delete;
  Module& operator=(const Module&) = delete;

  // By its name, as it is in the PTX: that of an `extern "C"` kernel. Refuses others, with the
  // names that there are.
  const Kernel& kernel(const std::string& entry) const;
  bool of_machine_code() const { return of_machine_code_; }

 private:
  bool load(const std::string& code);

  std::string program_, problem_;
  std::vector<EntryPoint> entries_;
  std::vector<Kernel> kernels_;  // one for each
  cudaLibrary_t library_ = nullptr;
  bool of_machine_code_ = false;
};

}  // namespace aisp::jit
