// What a program has said about managed memory: advice and prefetches change nothing here but what
// cudaMemRangeGetAttribute answers.
#pragma once

#include <cstddef>
#include <cstdint>

#include "sim/runtime/state/cuda.hpp"

namespace aisp::sim {

// Whole pages are what the calls are about; both ends are rounded to them.
void note_advice(const void* pointer, std::size_t bytes, cudaMemoryAdvise advice,
                 cudaMemLocation location);
void note_prefetch(const void* pointer, std::size_t bytes, cudaMemLocation location);
void forget_advice(std::uint64_t base, std::uint64_t bytes);

// Throws ApiError{cudaErrorInvalidValue} when the attribute does not have that many bytes.
void answer_about_range(void* data, std::size_t data_bytes, cudaMemRangeAttribute attribute,
                        const void* pointer, std::size_t bytes);

}  // namespace aisp::sim
