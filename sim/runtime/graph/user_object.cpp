#include "sim/runtime/graph/user_object.hpp"

#include <climits>
#include <map>
#include <memory>

#include "sim/runtime/state/runtime.hpp"

namespace aisp::sim {
namespace {

std::map<const void*, std::unique_ptr<UserObject>>& user_objects() {
  static auto* const all = new std::map<const void*, std::unique_ptr<UserObject>>;
  return *all;
}

}  // namespace

UserObject& make_user_object(void* data, cudaHostFn_t destroy, unsigned references) {
  auto made = std::make_unique<UserObject>(UserObject{data, destroy, references, references});
  UserObject& object = *made;
  user_objects().emplace(&object, std::move(made));
  return object;
}

UserObject& user_object_of(cudaUserObject_t handle) {
  const auto found = user_objects().find(handle);
  require(found != user_objects().end());
  return *found->second;
}

void retain_user_object(UserObject* object, unsigned count) {
  require(count != 0 && count <= INT_MAX - object->references);
  object->references += count;
}

void release_user_object(UserObject* object, unsigned count) {
  require(count != 0 && count <= object->references);
  object->references -= count;
  if (object->references != 0) return;
  const UserObject last = *object;
  user_objects().erase(object);
  last.destroy(last.data);
}

void retain_for_program(UserObject* object, unsigned count) {
  retain_user_object(object, count);
  object->own += count;
}

void move_from_program(UserObject* object, unsigned count) {
  require(count != 0 && count <= object->own);
  object->own -= count;
}

void release_of_program(UserObject* object, unsigned count) {
  move_from_program(object, count);
  release_user_object(object, count);
}

}  // namespace aisp::sim
