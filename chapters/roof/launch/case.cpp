// The launch: what is left of a kernel's time when there is next to nothing to do. `aisp sweep`
// measures it to tell sizes that are bound by it.
#include "lab/case/registry.hpp"

using namespace aisp;

namespace {

lab::Problem problem(const lab::Size& size) {
  lab::Problem made;
  made.size = size;
  made.outputs = {{.tensor = {.name = "mark", .shape = {size.dims.at(0)}}, .tolerance = {}}};
  made.bytes = static_cast<double>(made.outputs[0].tensor.bytes());
  made.reference = [](const lab::Inputs&, std::vector<std::vector<double>>& expected) {
    for (auto& value : expected.at(0)) value = 1;
  };
  return made;
}

const lab::TargetEntry entry{{
    .chapter = "roof",
    .name = "launch",
    .idea = "the time of a kernel with one thread that writes one number",
    .aliases = {},
    .axes = {"elements"},
    .variants = {""},
    .full = {{.variant = "", .dims = {1}}},
    .quick = {{.variant = "", .dims = {1}}},
    .problem = problem,
}};

}  // namespace
