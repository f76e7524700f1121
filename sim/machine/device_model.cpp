#include "sim/machine/device_model.hpp"

#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

#include "base/refuse.hpp"
#include "base/text.hpp"

namespace aisp::embedded {
extern const std::string_view device_h200, device_a100, device_b200, device_gb200;
}

namespace aisp::sim {
namespace {

using Json = nlohmann::json;

const std::pair<std::string, const std::string_view*> files[] = {
    {"h200", &embedded::device_h200},
    {"a100", &embedded::device_a100},
    {"b200", &embedded::device_b200},
    {"gb200", &embedded::device_gb200},
};

[[noreturn]] void refuse_name(const std::string& name) {
  std::vector<std::string> known;
  for (const auto& [key, text] : files) known.push_back(key);
  const auto near = base::nearest(name, known);
  base::refuse(base::Exit::usage, "the simulator knows no device '", name, "'; it knows ",
               base::join(known, ", "), near ? "; did you mean " + *near + "?" : "");
}

DeviceModel read(const std::string& key, std::string_view text) {
  const Json json = Json::parse(text);
  DeviceModel model;
  model.key = key;
  // Every field must be there: a misspelt one is not to be replaced by a default in silence.
  const auto take = [&](const char* name, auto& field) { json.at(name).get_to(field); };
  take("name", model.name);
  take("major", model.major);
  take("minor", model.minor);
  take("arch_specific", model.arch_specific);
  take("multiprocessors", model.multiprocessors);
  take("threads_per_sm", model.threads_per_sm);
  take("blocks_per_sm", model.blocks_per_sm);
  take("warps_per_sm", model.warps_per_sm);
  take("registers_per_sm", model.registers_per_sm);
  take("registers_per_block", model.registers_per_block);
  take("register_unit", model.register_unit);
  take("max_registers_per_thread", model.max_registers_per_thread);
  take("shared_per_sm", model.shared_per_sm);
  take("shared_per_block", model.shared_per_block);
  take("shared_per_block_optin", model.shared_per_block_optin);
  take("shared_reserved", model.shared_reserved);
  take("shared_unit", model.shared_unit);
  take("tensor_columns", model.tensor_columns);
  take("max_cluster", model.max_cluster);
  take("max_cluster_nonportable", model.max_cluster_nonportable);
  take("cluster_groups", model.cluster_groups);
  take("l2_bytes", model.l2_bytes);
  take("persisting_l2_bytes", model.persisting_l2_bytes);
  take("memory_bytes", model.memory_bytes);
  take("constant_bytes", model.constant_bytes);
  take("clock_khz", model.clock_khz);
  take("memory_clock_khz", model.memory_clock_khz);
  take("memory_bus_bits", model.memory_bus_bits);
  take("copy_gb_per_s", model.copy_gb_per_s);
  take("pcie_gb_per_s", model.pcie_gb_per_s);
  take("coherent_host", model.coherent_host);
  take("peer_gb_per_s", model.peer_gb_per_s);
  const Json& tensor = json.at("tensor");
  const auto rule = [&](const char* name, int& field) { tensor.at(name).get_to(field); };
  rule("f16_terms", model.tensor.f16_terms);
  rule("f16_bits", model.tensor.f16_bits);
  rule("tf32_terms", model.tensor.tf32_terms);
  rule("tf32_bits", model.tensor.tf32_bits);
  rule("fp8_terms", model.tensor.fp8_terms);
  rule("fp8_bits", model.tensor.fp8_bits);
  rule("fp4_bits", model.tensor.fp4_bits);
  return model;
}

// A device with fewer SMs: the groups are filled in order.
void cut(DeviceModel& model, int multiprocessors) {
  model.multiprocessors = multiprocessors;
  int left = multiprocessors;
  for (int& group : model.cluster_groups) {
    group = std::min(group, left);
    left -= group;
  }
  std::erase(model.cluster_groups, 0);
}

void apply(DeviceModel& model, const std::string& option) {
  const auto parts = base::split(option, '=');
  if (parts.size() != 2 || (parts[0] != "sms" && parts[0] != "gpus"))
    base::refuse(base::Exit::usage, "'", option,
                 "' is no option of a simulated device; 'sms=8' and 'gpus=4' are");
  const auto count = base::parse_integer(parts[1]);
  if (parts[0] == "gpus") {
    if (!count || *count < 1 || *count > most_devices)
      base::refuse(base::Exit::usage, "gpus=", parts[1], ": 1 to ", most_devices,
                   " devices can be simulated");
    model.devices = static_cast<int>(*count);
    return;
  }
  if (!count || *count < 1 || *count > model.multiprocessors)
    base::refuse(base::Exit::usage, "sms=", parts[1], ": ", model.key, " has 1 to ",
                 model.multiprocessors, " SMs");
  cut(model, static_cast<int>(*count));
}

}  // namespace

DeviceModel device_model(const std::string& spec) {
  const auto parts = base::split(spec, ',');
  const std::string name = parts.empty() ? "" : parts[0];
  for (const auto& [key, text] : files) {
    if (key != name) continue;
    DeviceModel model = read(key, *text);
    for (std::size_t i = 1; i < parts.size(); ++i) apply(model, parts[i]);
    return model;
  }
  refuse_name(name);
}

}  // namespace aisp::sim
