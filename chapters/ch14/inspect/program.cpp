// The tile program itself.
#include "chapters/ch14/inspect/shown.hpp"
#include "chapters/common/exhibits.hpp"
#include "lab/case/registry.hpp"

using namespace aisp;

namespace {

lab::Run prepare(lab::Setup& setup) {
  const lab::Problem problem = setup.problem();
  setup.shows([problem] { return chapters::exhibits_of(ch14::shown(problem).seen); });
  const jit::Program program = ch14::norm_silu();
  const auto apart = [](std::uintptr_t place) { return reinterpret_cast<void*>(place << 44); };
  // Now, so that no launch has to.
  program.prepare_for(ch14::tensors_of(problem, apart(1), apart(2)));
  return [program](const lab::Launch& launch) {
    program.launch(launch.stream,
                   ch14::tensors_of(launch.problem, launch.in<void>(0), launch.out<void>(0)));
  };
}

const lab::RungEntry entry{"ch14:inspect",
                           {.name = "program",
                            .step = 0,
                            .builds_on = "",
                            .idea = "a lambda, traced, planned, written as CUDA C++, compiled",
                            .look_at = "aisp inspect ch14:inspect/program",
                            .needs = lab::Needs::sm_80,
                            .prepare = prepare}};

}  // namespace
