// What cuBLASLt leaves over of an epilogue problem, as one elementwise pass over memory.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

namespace aisp::peers {

struct EpiloguePass {
  const void* v;       // product plus bias, f32 or bf16
  bool v_is_bf16;      // then the product has written aux itself, where there is one: it is v
  const float* scale;  // one element; null: d is bf16 and there is no aux
  void* d;             // bf16(silu(v)), or e4m3(scale * silu(v))
  float* amax;         // one element: the largest |silu(v)|
  void* aux;           // bf16(v)
  std::int64_t count;  // a multiple of 8
};

void enqueue(const EpiloguePass& pass, int multiprocessors, cudaStream_t stream);

// to[i] = bf16(from[i])
void enqueue_to_bf16(const float* from, void* to, std::int64_t count, cudaStream_t stream);

}  // namespace aisp::peers
