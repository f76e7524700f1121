// What graphs keep: memory of their nodes, and objects of the program.
#include <climits>

#include "sim/cudart/entry.hpp"
#include "sim/runtime/graph/graph.hpp"
#include "sim/runtime/graph/user_object.hpp"
#include "sim/runtime/memory/graph_memory.hpp"

using namespace aisp;

using sim::api;
using sim::locked_api;
using sim::require;
using sim::Runtime;

namespace {

void require_device(int device) {
  require(device >= 0 && device < Runtime::get().model.devices, cudaErrorInvalidDevice);
}

}  // namespace

cudaError_t cudaDeviceGetGraphMemAttribute(int device, cudaGraphMemAttributeType attribute,
                                           void* value) {
  return api([&](Runtime&) {
    require_device(device);
    require(value != nullptr);
    *static_cast<unsigned long long*>(value) = sim::graph_memory_attribute(device, attribute);
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceSetGraphMemAttribute(int device, cudaGraphMemAttributeType attribute,
                                           void* value) {
  return api([&](Runtime&) {
    require_device(device);
    require(value != nullptr);
    sim::reset_graph_memory_attribute(device, attribute, *static_cast<unsigned long long*>(value));
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceGraphMemTrim(int device) {
  return api([&](Runtime&) {
    require_device(device);
    sim::trim_graph_memory(device);
    return cudaSuccess;
  });
}

cudaError_t cudaUserObjectCreate(cudaUserObject_t* object, void* data, cudaHostFn_t destroy,
                                 unsigned references, unsigned flags) {
  return locked_api([&] {
    require(object != nullptr && destroy != nullptr && references != 0 && references <= INT_MAX);
    require(flags == cudaUserObjectNoDestructorSync);
    *object = reinterpret_cast<cudaUserObject_t>(&sim::make_user_object(data, destroy, references));
  });
}

cudaError_t cudaUserObjectRetain(cudaUserObject_t object, unsigned count) {
  return locked_api([&] { sim::retain_for_program(&sim::user_object_of(object), count); });
}

cudaError_t cudaUserObjectRelease(cudaUserObject_t object, unsigned count) {
  return locked_api([&] { sim::release_of_program(&sim::user_object_of(object), count); });
}

cudaError_t cudaGraphRetainUserObject(cudaGraph_t graph, cudaUserObject_t object, unsigned count,
                                      unsigned flags) {
  return locked_api([&] {
    sim::Graph& owner = sim::graph_of(graph);
    sim::UserObject& kept = sim::user_object_of(object);
    require(count != 0 && (flags & ~unsigned{cudaGraphUserObjectMove}) == 0);
    // Moved references are the caller's own, which it then has no more.
    if ((flags & cudaGraphUserObjectMove) == 0)
      sim::retain_user_object(&kept, count);
    else
      sim::move_from_program(&kept, count);
    owner.user_objects[&kept] += count;
  });
}

cudaError_t cudaGraphReleaseUserObject(cudaGraph_t graph, cudaUserObject_t object, unsigned count) {
  return locked_api([&] {
    sim::Graph& owner = sim::graph_of(graph);
    sim::UserObject& kept = sim::user_object_of(object);
    const auto found = owner.user_objects.find(&kept);
    require(found != owner.user_objects.end() && count != 0 && count <= found->second);
    found->second -= count;
    if (found->second == 0) owner.user_objects.erase(found);
    sim::release_user_object(&kept, count);
  });
}
