#include "jit/run/kernel.hpp"

#include <algorithm>
#include <map>
#include <mutex>

#include "base/refuse.hpp"
#include "base/shared_library.hpp"
#include "base/text.hpp"
#include "tile/device/launch/machine.hpp"

namespace aisp::jit {
namespace {

void check(cudaError_t error, const std::string& what) { refuse_runtime(error, what); }

std::string listed(const std::vector<int>& bytes) {
  std::vector<std::string> words;
  for (const int one : bytes) words.push_back(std::to_string(one));
  return bytes.empty() ? "none" : base::join(words, ", ");
}

}  // namespace

// The way out of an error is in its words; a launch that fails is the program's, not the user's.
void refuse_runtime(cudaError_t error, const std::string& what) {
  if (error == cudaSuccess) return;
  cudaGetLastError();
  base::refuse(base::Exit::environment, what, ": ", cudaGetErrorString(error));
}

namespace {

std::string architecture_of(int device) {
  const int architecture = tile::device::machine_of(device).architecture;
  // A runtime of this name runs PTX: no machine code is made that it would refuse with a word.
  const bool simulated = base::find_in_process<void()>("aispSimulated") != nullptr;
  return base::say(simulated ? "compute_" : "sm_", architecture,
                   architecture >= 90 ? "a" : "");  // with what is its own
}

}  // namespace

const std::string& device_architecture() {
  static std::mutex guard;
  static std::map<int, std::string> known;  // by device; asked at every launch
  int device = 0;
  check(cudaGetDevice(&device), "no device to compile for");
  const std::lock_guard lock(guard);
  auto& architecture = known[device];
  if (architecture.empty()) architecture = architecture_of(device);
  return architecture;
}

static std::uint32_t capability_of(int device) {
  return static_cast<std::uint32_t>(tile::device::machine_of(device).architecture);
}

// That of all devices, or 0 where they differ.
static std::uint32_t capability_of_all() {
  int count = 0;
  check(cudaGetDeviceCount(&count), "no device to compile for");
  const std::uint32_t first = capability_of(0);
  for (int device = 1; device < count; ++device)
    if (capability_of(device) != first) return 0;
  return first;
}

// Which device is current need not be asked where all are alike: that alone takes half of what a
// warm call may.
std::uint32_t device_capability() {
  static const std::uint32_t of_all = capability_of_all();
  if (of_all != 0) return of_all;
  int device = 0;
  check(cudaGetDevice(&device), "no device to compile for");
  return capability_of(device);
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
  const auto& wanted = entry_.parameter_bytes;
  if (std::equal(arguments.begin(), arguments.end(), wanted.begin(), wanted.end(),
                 [](const Argument& one, int bytes) { return one.bytes == bytes; }))
    return;
  std::vector<int> given;
  for (const Argument& one : arguments) given.push_back(one.bytes);
  base::refuse(base::Exit::usage, program_, ": ", entry_.name, " takes ", wanted.size(),
               " arguments (bytes: ", listed(wanted), "), and was given ", given.size(),
               " (bytes: ", listed(given), ")");
}

void Kernel::launch(cudaStream_t stream, const LaunchShape& shape,
                    std::span<const Argument> arguments) const {
  admit(arguments);
  std::vector<void*> pointers;
  for (const Argument& one : arguments) pointers.push_back(const_cast<void*>(one.data));
  const auto* symbol = reinterpret_cast<const void*>(handle_);
  constexpr std::size_t without_asking = 48 << 10;
  if (shape.shared_bytes > without_asking)
    refuse_failed(cudaFuncSetAttribute(symbol, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                       static_cast<int>(shape.shared_bytes)),
                  shape);
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
  refuse_failed(cudaLaunchKernelExC(&config, symbol, pointers.data()), shape);
}

void Kernel::refuse_failed(cudaError_t error, const LaunchShape& shape) const {
  if (error == cudaSuccess) return;
  const auto extent = [](const dim3& of) { return base::say(of.x, 'x', of.y, 'x', of.z); };
  check(error, base::say(program_, ": launch of ", entry_.name, " with ", extent(shape.grid),
                         " blocks of ", extent(shape.block), " threads and ", shape.shared_bytes,
                         " bytes of shared memory"));
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
  const bool loaded = error == cudaSuccess;
  kernels_.clear();
  for (const EntryPoint& entry : entries_) {
    cudaKernel_t handle = nullptr;
    if (error == cudaSuccess) error = cudaLibraryGetKernel(&handle, library_, entry.name.c_str());
    kernels_.push_back(Kernel(program_, entry, handle));
  }
  if (error == cudaSuccess) return true;
  if (loaded) cudaLibraryUnload(library_);
  library_ = nullptr;
  problem_ = cudaGetErrorString(error);
  cudaGetLastError();
  return false;
}

Module::~Module() {
  if (library_ != nullptr) cudaLibraryUnload(library_);
}

const Kernel& Module::kernel(const std::string& entry) const {
  for (std::size_t at = 0; at < entries_.size(); ++at)
    if (entries_[at].name == entry) return kernels_[at];
  std::vector<std::string> names;
  for (const EntryPoint& one : entries_) names.push_back(one.name);
  base::refuse(base::Exit::usage, program_, ": no kernel is called ", entry, "; there is ",
               names.empty() ? "none" : base::join(names, ", "),
               "; extern \"C\" keeps a name as it is written");
}

}  // namespace aisp::jit
