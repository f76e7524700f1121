// The contract of streams. `stream` is what the program passed: 0 (legacy, or per-thread under a
// PerThreadDefault scope), cudaStreamLegacy, cudaStreamPerThread, or a created one. An unknown
// handle gives cudaErrorInvalidResourceHandle, an invalidated capture its cudaErrorStreamCapture*.
#pragma once

#include <vector>

#include "sim/runtime/stream/stream.hpp"

namespace aisp::sim {

// On a capturing stream the task becomes a graph node instead of running.
cudaError_t submit(cudaStream_t stream, Task task);
// The callback learns of the error of a lost device; it is no part of a graph.
void submit_callback(cudaStream_t stream, cudaStreamCallback_t callback, void* data);
bool capturing(cudaStream_t stream);
cudaError_t check_stream(cudaStream_t stream);  // cudaSuccess: the handle is one
int device_of_stream(cudaStream_t stream);

// What a host thread that asks about a stream waits for, and whose error it learns. Throws
// ApiError{cudaErrorStreamCaptureUnsupported} when the stream is capturing.
struct StreamMarks {
  std::vector<MarkPtr> marks;
  int device;
};
StreamMarks awaited_marks(cudaStream_t stream);

// Return when everything submitted so far has run: cudaSuccess or the sticky error.
cudaError_t wait_stream(cudaStream_t stream);
cudaError_t wait_device();  // the current one, and nothing but it
cudaError_t wait_device(int device);
cudaError_t wait_all_devices();  // the current one's error

}  // namespace aisp::sim
