#include "sim/runtime/graph/user_object.hpp"

#include <map>

#include "sim/runtime/state/runtime.hpp"

namespace aisp::sim {

// Its end calls the program's function.
struct UserObject {
  UserObject(void* of, cudaHostFn_t function) : data(of), destroy(function) {}
  UserObject(const UserObject&) = delete;
  UserObject& operator=(const UserObject&) = delete;
  ~UserObject() { destroy(data); }
  void* data;
  cudaHostFn_t destroy;
};

namespace {

std::map<cudaUserObject_t, HeldObject>& program_objects() {
  static auto* const all = new std::map<cudaUserObject_t, HeldObject>;
  return *all;
}

// Takes references away; what the last one held is left to the caller, who lets go of it where the
// program's function may be called.
std::shared_ptr<UserObject> take_references(std::map<cudaUserObject_t, HeldObject>& holder,
                                            cudaUserObject_t handle, unsigned count) {
  const auto found = holder.find(handle);
  require(found != holder.end() && count != 0 && count <= found->second.count);
  found->second.count -= count;
  std::shared_ptr<UserObject> object = found->second.object;
  if (found->second.count == 0) holder.erase(found);
  return object;
}

HeldObject& held_by_program(cudaUserObject_t handle) {
  const auto found = program_objects().find(handle);
  require(found != program_objects().end());
  return found->second;
}

}  // namespace

cudaUserObject_t create_user_object(void* data, cudaHostFn_t destroy, unsigned count) {
  require(destroy != nullptr && count != 0);
  auto object = std::make_shared<UserObject>(data, destroy);
  const auto handle = reinterpret_cast<cudaUserObject_t>(object.get());
  program_objects()[handle] = {std::move(object), count};
  return handle;
}

void retain_user_object(cudaUserObject_t handle, unsigned count) {
  require(count != 0);
  held_by_program(handle).count += count;
}

void release_user_object(cudaUserObject_t handle, unsigned count) {
  take_references(program_objects(), handle, count);
}

void retain_in_graph(Graph& graph, cudaUserObject_t handle, unsigned count, bool move) {
  require(count != 0);
  const std::shared_ptr<UserObject> object = held_by_program(handle).object;
  if (move) take_references(program_objects(), handle, count);
  HeldObject& held = graph.user_objects[handle];
  held.object = object;
  held.count += count;
}

void release_in_graph(Graph& graph, cudaUserObject_t handle, unsigned count) {
  take_references(graph.user_objects, handle, count);
}

}  // namespace aisp::sim
