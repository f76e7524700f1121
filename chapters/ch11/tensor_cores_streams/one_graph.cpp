// Rung 2: the same kernels as nodes of one graph, recorded once for each set of buffers. The host
// asks once, and the device finds the next node of a chain by itself.
#include <memory>

#include "chapters/ch11/tensor_cores_streams/product_graph.hpp"
#include "lab/case/per_buffers.hpp"
#include "lab/case/registry.hpp"

using namespace aisp;

namespace {

using namespace ch11::products;

// Measured on an H200: a node of one chain starts 0.4 us after the one before it, which two chains
// halve; with 16 and more the device serves queues.
constexpr int chains = 4;

bool is_recording(cudaStream_t stream) {
  cudaStreamCaptureStatus status{};
  lab::check_cuda(cudaStreamIsCapturing(stream, &status), "cudaStreamIsCapturing");
  return status != cudaStreamCaptureStatusNone;
}

// The first launch of a set of buffers may be recorded by the lab: what is made for it then is no
// part of the recording, and harmless to it.
class BesideRecording {
 public:
  BesideRecording() { exchange(); }
  ~BesideRecording() { exchange(); }
  BesideRecording(const BesideRecording&) = delete;
  BesideRecording& operator=(const BesideRecording&) = delete;

 private:
  void exchange() { cudaThreadExchangeStreamCaptureMode(&mode_); }
  cudaStreamCaptureMode mode_ = cudaStreamCaptureModeRelaxed;
};

lab::Run prepare(lab::Setup&) {
  const auto streams = std::make_shared<ch11::SideStreams>("chain", chains);
  return lab::per_buffers([streams](const lab::Launch& launch) -> lab::Enqueue {
    const BesideRecording making;
    const auto graph =
        std::make_shared<ProductGraph>(plan_each(launch, plan_to_share), *streams, After::begin);
    return [graph](cudaStream_t stream) {
      const lab::Range range("graph of products");
      if (is_recording(stream))
        graph->add_to_recording(stream);
      else
        graph->launch(stream);
    };
  });
}

const lab::RungEntry entry{"ch11:tensor_cores_streams",
                           {.name = "one_graph",
                            .step = 2,
                            .builds_on = "four_streams",
                            .idea = "the products are nodes of one graph, in chains side by side",
                            .look_at = "one cudaGraphLaunch; blocks of many products at a time",
                            .prepare = prepare}};

}  // namespace
