// The driver's error codes: from the runtime's, their names and their texts.
#include <cstring>

#include "sim/cuda/driver.hpp"

using namespace aisp::sim;

namespace {

struct ResultName {
  CUresult result;
  const char* name;
};

constexpr ResultName result_names[] = {
#define AISP_RESULT(enumerator) {enumerator, #enumerator},
#include "sim/cuda/result_names.inc"
#undef AISP_RESULT
};

const ResultName* find_result(CUresult result) {
  for (const ResultName& known : result_names)
    if (known.result == result) return &known;
  return nullptr;
}

}  // namespace

CUresult driver::result_of(cudaError_t error) {
  switch (error) {
    case cudaErrorInvalidSymbol:
      return CUDA_ERROR_NOT_FOUND;
    case cudaErrorInvalidDeviceFunction:
      return CUDA_ERROR_INVALID_HANDLE;
    default:
      break;
  }
  const auto same = static_cast<CUresult>(error);
  return find_result(same) != nullptr ? same : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuGetErrorName(CUresult error, const char** text) {
  if (text == nullptr) return CUDA_ERROR_INVALID_VALUE;
  const ResultName* known = find_result(error);
  *text = known != nullptr ? known->name : nullptr;
  return known != nullptr ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuGetErrorString(CUresult error, const char** text) {
  if (text == nullptr) return CUDA_ERROR_INVALID_VALUE;
  const bool known = find_result(error) != nullptr;
  *text = known ? cudaGetErrorString(static_cast<cudaError_t>(error)) : nullptr;
  return known ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}
