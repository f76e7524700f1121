#include "jit/run/kernel.hpp"

#include "base/refuse.hpp"
#include "base/shared_library.hpp"
#include "base/text.hpp"

namespace aisp::jit {
namespace {

// The way out of an error is in its words; a launch that fails is the program's, not the user's.
void check(cudaError_t error, const std::string& what) {
  if (error == cudaSuccess) return;
  cudaGetLastError();
  base::refuse(base::Exit::environment, what, ": ", cudaGetErrorString(error));
}

int attribute(cudaDeviceAttr which, int device) {
  int value = 0;
  check(cudaDeviceGetAttribute(&value, which, device), "device attribute");
  return value;
}

std::string listed(const std::vector<int>& bytes) {
  std::vector<std::string> words;
  for (const int one : bytes) words.push_back(std::to_string(one));
  return bytes.empty() ? "none" : base::join(words, ", ");
}

}  // namespace

std::string device_architecture() {
  int device = 0;
  check(cudaGetDevice(&device), "no device to compile for");
  const int major = attribute(cudaDevAttrComputeCapabilityMajor, device);
  const int minor = attribute(cudaDevAttrComputeCapabilityMinor, device);
  // A runtime of this name runs PTX: no machine code is made that it would refuse with a word.
  const bool simulated = base::find_in_process<void()>("aispSimulated") != nullptr;
  return base::say(simulated ? "compute_" : "sm_", major, minor,
                   major >= 9 ? "a" : "");  // with what is its own
}

void refuse_under_capture(cudaStream_t stream, const std::string& name) {
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  const cudaError_t error = cudaStreamIsCapturing(stream, &status);
  if (error == cudaSuccess && status == cudaStreamCaptureStatusNone) return;
  if (error != cudaSuccess && error != cudaErrorStreamCaptureImplicit) check(error, name);
  cudaGetLastError();
  base::refuse(base::Exit::usage, name,
               ": the stream is being captured and the kernel is not compiled yet; call prepare(), "
               "or launch it once, before the capture begins");
}

void Kernel::admit(std::span<const Argument> arguments) const {
  std::vector<int> given;
  for (const Argument& one : arguments) given.push_back(one.bytes);
  if (given != entry_.parameter_bytes)
    base::refuse(base::Exit::usage, program_, ": ", entry_.name, " takes ",
                 entry_.parameter_bytes.size(),
                 " arguments (bytes: ", listed(entry_.parameter_bytes), "), and was given ",
                 given.size(), " (bytes: ", listed(given), ")");
}

void Kernel::launch(cudaStream_t stream, const LaunchShape& shape,
                    std::span<const Argument> arguments) const {
  admit(arguments);
  std::vector<void*> pointers;
  for (const Argument& one : arguments) pointers.push_back(const_cast<void*>(one.data));
  const std::string what = base::say(program_, ": launch of ", entry_.name);
  const auto* symbol = reinterpret_cast<const void*>(handle_);
  constexpr std::size_t without_asking = 48 << 10;
  if (shape.shared_bytes > without_asking)
    check(cudaFuncSetAttribute(symbol, cudaFuncAttributeMaxDynamicSharedMemorySize,
                               static_cast<int>(shape.shared_bytes)),
          base::say(what, " with ", shape.shared_bytes, " bytes of shared memory"));
  cudaLaunchConfig_t config{};
  config.gridDim = shape.grid;
  config.blockDim = shape.block;
  config.dynamicSmemBytes = shape.shared_bytes;
  config.stream = stream;
  cudaLaunchAttribute cluster{};
  if (shape.cluster.x * shape.cluster.y * shape.cluster.z > 1) {
    cluster.id = cudaLaunchAttributeClusterDimension;
    cluster.val.clusterDim.x = shape.cluster.x;
    cluster.val.clusterDim.y = shape.cluster.y;
    cluster.val.clusterDim.z = shape.cluster.z;
    config.attrs = &cluster;
    config.numAttrs = 1;
  }
  check(cudaLaunchKernelExC(&config, symbol, pointers.data()), what);
}

Module::Module(std::string program, const Compiled& compiled)
    : program_(std::move(program)), entries_(entry_points_in(compiled.ptx)) {
  of_machine_code_ = !compiled.cubin.empty() && load(compiled.cubin);
  if (!of_machine_code_ && !load(compiled.ptx))
    base::refuse(base::Exit::environment, program_,
                 ": the CUDA runtime takes neither its machine code nor its PTX: ", problem_);
}

// Some runtimes read the code at once, others when a kernel is asked for.
bool Module::load(const std::string& code) {
  cudaError_t error =
      cudaLibraryLoadData(&library_, code.c_str(), nullptr, nullptr, 0, nullptr, nullptr, 0);
  if (error == cudaSuccess) {
    cudaKernel_t kernel = nullptr;
    if (!entries_.empty())
      error = cudaLibraryGetKernel(&kernel, library_, entries_[0].name.c_str());
    if (error == cudaSuccess) return true;
    cudaLibraryUnload(library_);
  }
  library_ = nullptr;
  problem_ = cudaGetErrorString(error);
  cudaGetLastError();
  return false;
}

Module::~Module() {
  if (library_ != nullptr) cudaLibraryUnload(library_);
}

Kernel Module::kernel(const std::string& entry) const {
  std::vector<std::string> names;
  for (const EntryPoint& one : entries_) {
    names.push_back(one.name);
    if (one.name != entry) continue;
    cudaKernel_t handle = nullptr;
    check(cudaLibraryGetKernel(&handle, library_, entry.c_str()),
          base::say(program_, ": kernel ", entry));
    return {program_, one, handle};
  }
  base::refuse(base::Exit::usage, program_, ": no kernel is called ", entry, "; there is ",
               names.empty() ? "none" : base::join(names, ", "),
               "; extern \"C\" keeps a name as it is written");
}

}  // namespace aisp::jit
