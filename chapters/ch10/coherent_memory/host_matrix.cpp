#include "chapters/ch10/coherent_memory/host_matrix.hpp"

#include <cstdlib>
#include <new>

namespace aisp::ch10 {
namespace {

constexpr std::size_t page = 4096;

std::size_t whole_pages(std::size_t bytes) { return (bytes + page - 1) / page * page; }

}  // namespace

HostMatrix::HostMatrix(HostKind kind, std::int64_t bytes)
    : kind_(kind), bytes_(static_cast<std::size_t>(bytes)) {
  if (kind == HostKind::managed) {
    void* managed = nullptr;
    lab::check_cuda(cudaMallocManaged(&managed, bytes_), "cudaMallocManaged");
    memory_ = static_cast<char*>(managed);
    return;
  }
  memory_ = static_cast<char*>(std::aligned_alloc(page, whole_pages(bytes_)));
  if (memory_ == nullptr) throw std::bad_alloc();
}

HostMatrix::~HostMatrix() {
  if (kind_ == HostKind::managed)
    cudaFree(memory_);
  else
    std::free(memory_);
}

void HostMatrix::match(const lab::Launch& launch) {
  lab::check_cuda(
      cudaMemcpyAsync(memory_, launch.inputs.at(0), bytes_, cudaMemcpyDeviceToHost, launch.stream),
      "cudaMemcpyAsync of the matrix");
  if (kind_ == HostKind::managed)  // an earlier run has taken its pages to the device
    lab::check_cuda(cudaMemPrefetchAsync(memory_, bytes_, on_host(), 0, launch.stream),
                    "cudaMemPrefetchAsync to the host");
  lab::check_cuda(cudaStreamSynchronize(launch.stream), "cudaStreamSynchronize");
}

void HostMatrices::before_run(const lab::Launch& launch) {
  auto& matrix = matrices_[launch.inputs.at(0)];
  if (!matrix) matrix = std::make_unique<HostMatrix>(kind_, launch.problem.inputs.at(0).bytes());
  matrix->match(launch);
}

const HostMatrix& HostMatrices::of(const lab::Launch& launch) const {
  return *matrices_.at(launch.inputs.at(0));
}

cudaMemLocation on_device() {
  cudaMemLocation location{};
  location.type = cudaMemLocationTypeDevice;
  lab::check_cuda(cudaGetDevice(&location.id), "cudaGetDevice");
  return location;
}

cudaMemLocation on_host() {
  cudaMemLocation location{};
  location.type = cudaMemLocationTypeHost;
  return location;
}

}  // namespace aisp::ch10
