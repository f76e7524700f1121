// The host's link: copies between pinned memory and the device, one way or both ways at once.
// `aisp doctor --measure` stores what one way reaches.
#include "base/parallel.hpp"
#include "lab/case/registry.hpp"

using namespace aisp;

namespace {

void reference(const lab::Inputs& inputs, std::vector<std::vector<double>>& expected) {
  for (std::size_t i = 0; i < inputs.size(); ++i)
    base::parallel_ranges(inputs[i].what.count(), [&](std::int64_t first, std::int64_t last) {
      for (; first < last; ++first) expected[i][static_cast<std::size_t>(first)] = inputs[i][first];
    });
}

lab::Problem problem(const lab::Size& size) {
  using lab::Memory;
  lab::Problem made;
  made.size = size;
  const auto add = [&](const std::string& way, Memory from, Memory to) {
    const std::vector<std::int64_t> shape{size.dims.at(0)};
    made.inputs.push_back({.name = "from_" + way, .shape = shape, .memory = from});
    made.outputs.push_back(
        {.tensor = {.name = "to_" + way, .shape = shape, .memory = to}, .tolerance = {}});
  };
  if (size.variant != "to_host") add("host", Memory::pinned, Memory::device);
  if (size.variant != "to_device") add("device", Memory::device, Memory::pinned);
  for (const auto& input : made.inputs) {
    made.bytes += static_cast<double>(input.bytes());
    (input.memory == Memory::pinned ? made.to_device : made.to_host) +=
        static_cast<double>(input.bytes());
  }
  made.reference = reference;
  return made;
}

const lab::TargetEntry entry{{
    .chapter = "roof",
    .name = "link",
    .idea = "bytes per second between pinned host memory and the device",
    .aliases = {},
    .axes = {"elements"},
    .variants = {"to_device", "to_host", "both"},
    .full = {{"to_device", {1 << 26}}, {"to_host", {1 << 26}}, {"both", {1 << 26}}},
    .quick = {{"to_device", {4099}}, {"to_host", {4099}}, {"both", {4099}}},
    .problem = problem,
}};

}  // namespace
