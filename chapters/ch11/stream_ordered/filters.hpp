// The filters of this target: what a step computes, and the launches that compute it.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

#include "lab/case/rung.hpp"

namespace aisp::ch11 {

// A step is a cascade of stages, each with a buffer of its own; stage j looks 2^j ahead.
inline constexpr int filter_stages = 8;

// The vectors of a run and how long they are.
struct FilterRun {
  const float* x;        // (n)
  const float* factors;  // (steps, filter_stages)
  float* sum;            // (n): of what the steps give
  std::int64_t n, steps;

  explicit FilterRun(const lab::Launch& launch)
      : x(launch.in<float>(0)),
        factors(launch.in<float>(1)),
        sum(launch.out<float>(0)),
        n(launch.dim(0)),
        steps(launch.dim(1)) {}

  std::size_t bytes() const { return sizeof(float) * static_cast<std::size_t>(n); }
};

// to[i] = from[i] + factor * from[i + 2^stage], with zeros behind the end.
void enqueue_stage(const FilterRun& run, std::int64_t step, int stage, const float* from, float* to,
                   cudaStream_t stream);

// sum[i] += from[i]
void enqueue_add(const FilterRun& run, const float* from, cudaStream_t stream);

void enqueue_clear(const FilterRun& run, cudaStream_t stream);

}  // namespace aisp::ch11
