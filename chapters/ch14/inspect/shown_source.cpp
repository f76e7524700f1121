// The CUDA C++ that is shown, compiled as anybody's text is.
#include "chapters/ch14/inspect/shown.hpp"
#include "chapters/common/exhibits.hpp"
#include "jit/source.hpp"
#include "lab/case/registry.hpp"

using namespace aisp;

namespace {

lab::Run prepare(lab::Setup& setup) {
  const auto shown = std::make_shared<const ch14::Shown>(ch14::shown(setup.problem()));
  const auto source = std::make_shared<const jit::Source>("shown.cu", shown->seen.text);
  source->prepare();
  setup.shows([shown, source] {
    return chapters::exhibits_of(source->name(), shown->seen.text, source->compiled());
  });
  return [shown, source](const lab::Launch& launch) {
    source->kernel(shown->seen.kernel)
        .launch(launch.stream, shown->shape(), shown->argument(launch.problem, launch.in<void>(0)),
                shown->argument(launch.problem, launch.out<void>(0)));
  };
}

const lab::RungEntry entry{"ch14:inspect",
                           {.name = "shown_source",
                            .step = 1,
                            .builds_on = "program",
                            .idea = "its shown CUDA C++, compiled as a text of one's own",
                            .look_at = "the same registers, the same time, the same bytes",
                            .needs = lab::Needs::sm_80,
                            .prepare = prepare}};

}  // namespace
