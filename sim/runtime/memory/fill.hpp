// Fills as the API asks for them, judged, and done.
#pragma once

#include "sim/runtime/memory/calls.hpp"

namespace aisp::sim {

FillCall fill_of_rows(void* to, std::size_t pitch, int value, std::size_t width,
                      std::size_t height);
FillCall fill_of_planes(const cudaPitchedPtr& to, int value, const cudaExtent& extent);

// Throws ApiError when the memory is not the device's or a range leaves its allocation. Graph nodes
// are judged with it too.
void judge(const FillCall& call);

// Writes the bytes; the simulated nanoseconds that it takes.
double perform(const FillCall& call);

}  // namespace aisp::sim
