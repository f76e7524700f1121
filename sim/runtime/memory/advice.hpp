// Advice about managed memory, kept and shown. Nothing here depends on it.
#pragma once

#include <cstddef>

#include "sim/runtime/state/cuda.hpp"

namespace aisp::sim {

void advise(const void* pointer, std::size_t bytes, cudaMemoryAdvise advice,
            const cudaMemLocation& location);
void note_prefetch(const void* pointer, std::size_t bytes, const cudaMemLocation& location);
void forget_advice(const void* pointer, std::size_t bytes);  // the memory is freed

// What holds for the whole range; the attribute's word for "none" where it differs. Throws
// ApiError where attribute and room do not fit.
void read_range_attribute(void* value, std::size_t room, cudaMemRangeAttribute attribute,
                          const void* pointer, std::size_t bytes);

}  // namespace aisp::sim
