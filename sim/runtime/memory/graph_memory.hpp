// Memory that nodes of graphs allocate. Its address is the node's for as long as the node lives:
// what the program frees comes back when the graph is launched again.
#pragma once

#include <cstddef>
#include <cstdint>

#include "sim/runtime/state/cuda.hpp"

namespace aisp::sim {

void own_graph_memory(void* memory, int device, std::size_t bytes);  // a node was made
void drop_graph_memory(void* memory);                                // its last copy is gone
bool is_graph_memory(const void* memory);

// As the host sees it, in the order of its calls.
void expect_free(void* memory);  // a graph that does not free it itself is launched
void note_free(void* memory);    // the program, or another graph, has asked to free it
bool awaits_free(void* memory);

// As the device sees it, when it gets there.
void begin_graph_memory(void* memory);
void end_graph_memory(void* memory);   // the graph's own node: the next launch has it again
void free_graph_memory(void* memory);  // ... the program: nobody may touch it until then

// Bytes of the current device. Throw ApiError.
std::uint64_t graph_memory_attribute(int device, cudaGraphMemAttributeType attribute);
void reset_graph_memory_attribute(int device, cudaGraphMemAttributeType attribute,
                                  std::uint64_t value);
void trim_graph_memory(int device);

}  // namespace aisp::sim
