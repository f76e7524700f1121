// Objects of the program that graphs keep alive. Guarded by Runtime::mutex; all throw ApiError.
#pragma once

#include "sim/runtime/graph/graph.hpp"

namespace aisp::sim {

cudaUserObject_t create_user_object(void* data, cudaHostFn_t destroy, unsigned count);
void retain_user_object(cudaUserObject_t handle, unsigned count);
void release_user_object(cudaUserObject_t handle, unsigned count);

// The graph holds so many references, from here on or no more. `move`: they were the caller's.
void retain_in_graph(Graph& graph, cudaUserObject_t handle, unsigned count, bool move);
void release_in_graph(Graph& graph, cudaUserObject_t handle, unsigned count);

}  // namespace aisp::sim
