// The PTX that is shown, loaded as it stands: a GPU's driver assembles it once more.
#include <array>

#include "chapters/ch14/inspect/shown.hpp"
#include "lab/case/registry.hpp"

using namespace aisp;

namespace {

lab::Run prepare(lab::Setup& setup) {
  const auto shown = std::make_shared<const ch14::Shown>(ch14::shown(setup.problem()));
  jit::Compiled without_machine_code;
  without_machine_code.ptx = shown->seen.compiled.ptx;
  const auto module = std::make_shared<const jit::Module>("shown.ptx", without_machine_code);
  setup.shows([shown] {
    return std::vector<lab::Exhibit>{
        {"ptx", shown->seen.kernel + ".ptx", shown->seen.compiled.ptx, {}}};
  });
  return [shown, module](const lab::Launch& launch) {
    const auto x = shown->argument(launch.problem, launch.in<void>(0));
    const auto y = shown->argument(launch.problem, launch.out<void>(0));
    const std::array arguments{jit::Argument{&x, sizeof x}, jit::Argument{&y, sizeof y}};
    module->kernel(shown->seen.kernel).launch(launch.stream, shown->shape(), arguments);
  };
}

const lab::RungEntry entry{"ch14:inspect",
                           {.name = "shown_ptx",
                            .step = 2,
                            .builds_on = "shown_source",
                            .idea = "its shown PTX, loaded as it stands",
                            .look_at = "the same bytes once more",
                            .needs = lab::Needs::sm_80,
                            .prepare = prepare}};

}  // namespace
