// The driver's own copies. Both ways at once take a stream each; the second one is ordered after
// the first by an event and joined by another.
#include <memory>

#include "lab/case/registry.hpp"

using namespace aisp;

namespace {

using lab::check_cuda;

struct SecondStream {
  SecondStream() {
    check_cuda(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "cudaStreamCreate");
    for (auto* event : {&begin, &end})
      check_cuda(cudaEventCreateWithFlags(event, cudaEventDisableTiming), "cudaEventCreate");
  }
  SecondStream(const SecondStream&) = delete;
  SecondStream& operator=(const SecondStream&) = delete;
  ~SecondStream() {
    cudaEventDestroy(begin);
    cudaEventDestroy(end);
    cudaStreamDestroy(stream);
  }

  cudaStream_t stream{};
  cudaEvent_t begin{}, end{};
};

void copy(const lab::Launch& launch, int index, cudaStream_t stream) {
  const auto& tensor = launch.problem.inputs.at(static_cast<std::size_t>(index));
  check_cuda(cudaMemcpyAsync(launch.out<void>(index), launch.in<void>(index),
                             static_cast<std::size_t>(tensor.bytes()), cudaMemcpyDefault, stream),
             "cudaMemcpyAsync");
}

lab::Run prepare(lab::Setup& setup) {
  if (setup.problem().inputs.size() == 1)
    return [](const lab::Launch& launch) { copy(launch, 0, launch.stream); };
  const auto second = std::make_shared<SecondStream>();
  return [second](const lab::Launch& launch) {
    check_cuda(cudaEventRecord(second->begin, launch.stream), "cudaEventRecord");
    check_cuda(cudaStreamWaitEvent(second->stream, second->begin, 0), "cudaStreamWaitEvent");
    copy(launch, 0, launch.stream);
    copy(launch, 1, second->stream);
    check_cuda(cudaEventRecord(second->end, second->stream), "cudaEventRecord");
    check_cuda(cudaStreamWaitEvent(launch.stream, second->end, 0), "cudaStreamWaitEvent");
  };
}

const lab::RungEntry entry{"roof:link",
                           {.name = "pinned_copy",
                            .step = 0,
                            .builds_on = "",
                            .idea = "cudaMemcpyAsync from or into pinned memory",
                            .look_at = "bytes per second",
                            .prepare = prepare}};

}  // namespace
