// The memory roof: a device-to-device copy. `aisp doctor --measure` stores what it reaches.
#include "base/parallel.hpp"
#include "lab/case/registry.hpp"

using namespace aisp;

namespace {

void reference(const lab::Inputs& inputs, std::vector<std::vector<double>>& expected) {
  base::parallel_ranges(inputs.at(0).what.count(), [&](std::int64_t first, std::int64_t last) {
    for (; first < last; ++first)
      expected.at(0)[static_cast<std::size_t>(first)] = inputs.at(0)[first];
  });
}

lab::Problem problem(const lab::Size& size) {
  lab::Problem made;
  made.size = size;
  made.inputs = {{.name = "from", .shape = {size.dims.at(0)}}};
  made.outputs = {{.tensor = {.name = "to", .shape = {size.dims.at(0)}}, .tolerance = {}}};
  made.bytes = 2.0 * static_cast<double>(made.inputs[0].bytes());  // read and written
  made.reference = reference;
  return made;
}

const lab::TargetEntry entry{{
    .chapter = "roof",
    .name = "copy",
    .idea = "bytes per second that a device-to-device copy reads and writes",
    .aliases = {},
    .axes = {"elements"},
    .variants = {""},
    .full = {{.variant = "", .dims = {1 << 28}}},
    .quick = {{.variant = "", .dims = {4099}}},
    .problem = problem,
}};

}  // namespace
