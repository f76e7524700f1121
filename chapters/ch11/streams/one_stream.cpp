// Rung 0: all of it in, all of it worked on, all of it out again. Each engine waits for the one
// before it.
#include "chapters/ch11/common/copies.hpp"
#include "chapters/ch11/streams/relax.hpp"
#include "lab/case/registry.hpp"

using namespace aisp;

namespace {

lab::Run prepare(lab::Setup& setup) {
  const std::int64_t bytes = setup.problem().inputs[0].bytes();
  auto* values = static_cast<float*>(setup.scratch(static_cast<std::size_t>(bytes)));
  return [values, bytes](const lab::Launch& launch) {
    ch11::copy_in(values, launch.in<float>(0), bytes, launch.stream);
    ch11::enqueue_relax(values, launch.dim(0), launch.stream);
    ch11::copy_out(launch.out<float>(0), values, bytes, launch.stream);
  };
}

const lab::RungEntry entry{"ch11:streams",
                           {.name = "one_stream",
                            .step = 0,
                            .builds_on = "",
                            .idea = "copy in, compute, copy out on one stream",
                            .look_at = "three intervals in a row, nothing overlaps",
                            .prepare = prepare}};

}  // namespace
