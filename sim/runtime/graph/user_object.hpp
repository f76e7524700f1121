// Objects of the program that graphs keep alive: counted references, and a function that is called
// when the last one is gone. Guarded by Runtime::mutex.
#pragma once

#include "sim/runtime/state/cuda.hpp"

namespace aisp::sim {

struct UserObject {
  void* data = nullptr;
  cudaHostFn_t destroy = nullptr;
  unsigned references = 0;  // of the program and of graphs
  unsigned own = 0;         // the program's among them
};

UserObject& make_user_object(void* data, cudaHostFn_t destroy, unsigned references);
UserObject& user_object_of(cudaUserObject_t handle);  // throws ApiError
void retain_user_object(UserObject* object, unsigned count);
void release_user_object(UserObject* object, unsigned count);  // throws ApiError for too many
// The program takes references, gives them back, or leaves them to a graph.
void retain_for_program(UserObject* object, unsigned count);
void release_of_program(UserObject* object, unsigned count);
void move_from_program(UserObject* object, unsigned count);

}  // namespace aisp::sim
