#include <cuda_runtime.h>

#include <stdexcept>

#include "base/refuse.hpp"
#include "lab/case/rung.hpp"
#include "tools/differential/work.hpp"

namespace aisp::differential {
namespace {

using experiments::Experiment;
using lab::check_cuda;

class DeviceBytes {
 public:
  explicit DeviceBytes(std::size_t bytes) {
    check_cuda(cudaMalloc(&memory_, std::max<std::size_t>(bytes, 1)), "cudaMalloc");
  }
  DeviceBytes(const DeviceBytes&) = delete;
  DeviceBytes& operator=(const DeviceBytes&) = delete;
  ~DeviceBytes() { cudaFree(memory_); }
  void* get() const { return memory_; }

 private:
  void* memory_ = nullptr;
};

class Library {
 public:
  explicit Library(const std::string& text) {
    check_cuda(
        cudaLibraryLoadData(&library_, text.c_str(), nullptr, nullptr, 0, nullptr, nullptr, 0),
        "cudaLibraryLoadData");
  }
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;
  ~Library() { cudaLibraryUnload(library_); }
  cudaKernel_t kernel(const std::string& name) const {
    cudaKernel_t kernel{};
    check_cuda(cudaLibraryGetKernel(&kernel, library_, name.c_str()), "cudaLibraryGetKernel");
    return kernel;
  }

 private:
  cudaLibrary_t library_{};
};

std::vector<std::byte> run(const Experiment& experiment) {
  const Library library(experiment.text);
  const auto* kernel = reinterpret_cast<const void*>(library.kernel(experiment.entry));
  std::vector<std::unique_ptr<DeviceBytes>> buffers;
  std::vector<void*> pointers;
  for (const auto& bytes : experiment.in) {
    buffers.push_back(std::make_unique<DeviceBytes>(bytes.size()));
    check_cuda(
        cudaMemcpy(buffers.back()->get(), bytes.data(), bytes.size(), cudaMemcpyHostToDevice),
        "cudaMemcpy");
  }
  buffers.push_back(std::make_unique<DeviceBytes>(experiment.out_bytes));
  check_cuda(cudaMemset(buffers.back()->get(), 0xee, experiment.out_bytes), "cudaMemset");
  for (const auto& buffer : buffers) pointers.push_back(buffer->get());
  std::vector<void*> arguments;
  for (void*& pointer : pointers) arguments.push_back(&pointer);

  if (experiment.dynamic > 48 * 1024)
    check_cuda(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                    static_cast<int>(experiment.dynamic)),
               "cudaFuncSetAttribute");
  cudaLaunchAttribute cluster{};
  cluster.id = cudaLaunchAttributeClusterDimension;
  cluster.val.clusterDim.x = experiment.cluster;
  cluster.val.clusterDim.y = cluster.val.clusterDim.z = 1;
  cudaLaunchConfig_t config{};
  config.gridDim = experiment.grid;
  config.blockDim = experiment.block;
  config.dynamicSmemBytes = experiment.dynamic;
  config.attrs = &cluster;
  config.numAttrs = experiment.cluster > 1 ? 1 : 0;
  check_cuda(cudaLaunchKernelExC(&config, kernel, arguments.data()), "cudaLaunchKernelExC");
  check_cuda(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
  std::vector<std::byte> out(experiment.out_bytes);
  check_cuda(cudaMemcpy(out.data(), buffers.back()->get(), out.size(), cudaMemcpyDeviceToHost),
             "cudaMemcpy");
  return out;
}

Item item_of(Experiment experiment, const std::string& group) {
  Item item{.group = group, .name = experiment.name, .run = {}, .compare = {}};
  item.architecture = std::stoi(experiment.sm);
  const auto shared = std::make_shared<const Experiment>(std::move(experiment));
  item.run = [shared] { return run(*shared); };
  item.compare = [shared](const auto& gpu, const auto& simulated) {
    auto complaints = judge(*shared, simulated, &gpu);
    // The hardware judges the expected values too.
    for (auto& complaint : judge(*shared, gpu)) complaints.push_back("hardware: " + complaint);
    return complaints;
  };
  return item;
}

}  // namespace

std::vector<Item> instruction_items(const std::string& folder) {
  const std::filesystem::path root = folder;
  std::vector<Item> items;
  for (const auto& file : experiments::files_under(root / "forms", ".forms"))
    for (auto& experiment : experiments::read_forms(file))
      items.push_back(item_of(std::move(experiment), "forms/" + file.stem().string()));
  for (const auto& file : experiments::files_under(root / "ptx", ".ptx")) {
    Experiment experiment = experiments::read_ptx(file);
    if (!experiment.images.empty()) continue;  // textures are made for the simulator alone
    items.push_back(
        item_of(std::move(experiment), "ptx/" + file.parent_path().filename().string()));
  }
  return items;
}

}  // namespace aisp::differential
