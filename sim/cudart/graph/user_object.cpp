// Objects of the program that graphs keep alive.
#include "sim/runtime/graph/user_object.hpp"

#include "sim/cudart/entry.hpp"

using namespace aisp;

using sim::locked_api;
using sim::require;

cudaError_t cudaUserObjectCreate(cudaUserObject_t* object, void* data, cudaHostFn_t destroy,
                                 unsigned count, unsigned flags) {
  return locked_api([&] {
    require(object != nullptr && flags == cudaUserObjectNoDestructorSync);
    *object = sim::create_user_object(data, destroy, count);
  });
}

cudaError_t cudaUserObjectRetain(cudaUserObject_t object, unsigned count) {
  return locked_api([&] { sim::retain_user_object(object, count); });
}

cudaError_t cudaUserObjectRelease(cudaUserObject_t object, unsigned count) {
  return locked_api([&] { sim::release_user_object(object, count); });
}

cudaError_t cudaGraphRetainUserObject(cudaGraph_t graph, cudaUserObject_t object, unsigned count,
                                      unsigned flags) {
  return locked_api([&] {
    require((flags & ~unsigned{cudaGraphUserObjectMove}) == 0);
    sim::retain_in_graph(sim::graph_of(graph), object, count, flags != 0);
  });
}

cudaError_t cudaGraphReleaseUserObject(cudaGraph_t graph, cudaUserObject_t object, unsigned count) {
  return locked_api([&] { sim::release_in_graph(sim::graph_of(graph), object, count); });
}
