#include "jit/ir/function.hpp"

namespace aisp::jit {

std::string Place::text() const { return line == 0 ? "" : file + ":" + std::to_string(line); }

Id Function::add_value(Type type, std::string value_name) {
  const Id id = static_cast<Id>(values.size());
  values.push_back({std::move(type), {0, {{id, 1}}}, std::move(value_name)});
  return id;
}

}  // namespace aisp::jit
