// One store and no load: a kernel that wrote nothing could not be told from one that never ran.
#include "lab/case/registry.hpp"

using namespace aisp;

namespace {

__global__ void mark_all(float* mark, long long elements) {
  for (long long i = 0; i < elements; ++i) mark[i] = 1;
}

void run(const lab::Launch& launch) {
  mark_all<<<1, 1, 0, launch.stream>>>(launch.out<float>(0), launch.dim(0));
  lab::check_cuda(cudaGetLastError(), "mark_all");
}

const lab::RungEntry entry{"roof:launch",
                           {.name = "one_thread",
                            .step = 0,
                            .builds_on = "",
                            .idea = "one thread, one store",
                            .look_at = "time of one run",
                            .prepare = lab::plain(run)}};

}  // namespace
