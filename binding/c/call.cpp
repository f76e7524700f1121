#include "binding/c/call.hpp"

#include <cuda_runtime_api.h>

#include <string>

namespace aisp::binding {
namespace {

std::string& last_error() {
  thread_local std::string text;
  return text;
}

}  // namespace

aisp_status said(aisp_status status, const char* text) {
  last_error() = text;
  return status;
}

CurrentDevice::CurrentDevice(int device) : device_(device) {
  current_ = cudaGetDevice(&before_) == cudaSuccess &&
             (before_ == device || cudaSetDevice(device) == cudaSuccess);
  if (!current_) static_cast<void>(cudaGetLastError());  // it is refused in words
}

CurrentDevice::~CurrentDevice() {
  if (current_ && before_ != device_) cudaSetDevice(before_);
}

void admit_device(const char* what, int device) {
  int count = 0;
  if (const cudaError_t error = cudaGetDeviceCount(&count); error != cudaSuccess)
    base::refuse(base::Exit::environment, what, ": no device: ", cudaGetErrorString(error));
  if (device < 0 || device >= count)
    base::refuse(base::Exit::environment, what, ": the tensors are on device ", device,
                 ", this machine has ", count, ", numbered from 0");
}

}  // namespace aisp::binding

int aisp_interface_version() { return AISP_INTERFACE_VERSION; }
const char* aisp_version() { return AISP_VERSION; }
const char* aisp_last_error() { return aisp::binding::last_error().c_str(); }
