// Memory that nodes of graphs allocate. Its address is the node's for as long as the node lives:
// what is freed comes back when the graph is launched again. Either the owning graph frees it in
// every launch, or the program and other graphs do. Memory that a launch has allocated and nothing
// has freed outlives its graph.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "sim/runtime/state/cuda.hpp"

namespace aisp::sim {

void own_graph_memory(void* memory, int device, std::size_t bytes);  // a node is about to be made
bool is_graph_memory(const void* memory);
// Keeps the address. Nodes that allocate or free the memory hold it, and so do their copies.
std::shared_ptr<void> hold_graph_memory(void* memory);

// A node that frees it is added to the owning graph, or to another. Throws ApiError where the
// memory is not of a graph, or is freed on the other side.
void plan_free(void* memory, bool in_owning_graph);

// As the host sees it, in the order of its calls.
void expect_free(void* memory);  // a graph that does not free it itself is launched
void note_free(void* memory);    // the program, or another graph, has asked to free it
bool awaits_free(const void* memory);

// As the device sees it, when it gets there.
void begin_graph_memory(void* memory);
void end_graph_memory(void* memory);  // the graph's own node: the next launch has it again
// The program or another graph: no access is valid until the next launch. True: no node has it any
// more, and the caller releases it.
bool free_graph_memory(void* memory);

// Bytes of the current device. Throw ApiError.
std::uint64_t graph_memory_attribute(int device, cudaGraphMemAttributeType attribute);
void reset_graph_memory_attribute(int device, cudaGraphMemAttributeType attribute,
                                  std::uint64_t value);
void trim_graph_memory(int device);

}  // namespace aisp::sim
