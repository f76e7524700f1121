// What a task takes of the device's engines, and what hazard checker and trace are told about it.
#pragma once

#include <cstdint>

#include "sim/runtime/stream/stream.hpp"

namespace aisp::sim {

// In a stream or graph of that device.
EngineUse engine_use_of(const Task& task, int device);

// For the hazard checker: what the task does as far as it is known before it runs. `graph`: number
// of the graph launch that it is part of; 0: none.
watch::StreamOperationPtr operation_of(const Task& task, const Stream& stream, std::uint64_t graph);

// For the trace. Null while none is taken, and for what no engine works on.
trace::IntervalPtr interval_of(const EngineUse& use, const Task& task, const Stream& stream);

}  // namespace aisp::sim
