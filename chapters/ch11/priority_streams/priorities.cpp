// The same with priorities: whenever a block of the bulk work ends, waiting blocks of requests come
// in first. Nothing that runs is interrupted.
#include "chapters/ch11/priority_streams/load.hpp"
#include "lab/case/registry.hpp"

using namespace aisp;

namespace {

lab::Run prepare(lab::Setup& setup) {
  int least = 0, greatest = 0;
  lab::check_cuda(cudaDeviceGetStreamPriorityRange(&least, &greatest),
                  "cudaDeviceGetStreamPriorityRange");
  return ch11::prepare_load(setup, {.requests = greatest, .bulk = least});
}

const lab::RungEntry entry{
    "ch11:priority_streams",
    {.name = "priorities",
     .step = 1,
     .builds_on = "own_streams",
     .idea = "requests on streams of the greatest priority, bulk on the least",
     .look_at = "p99 of the requests, and how much longer the bulk work takes",
     .needs = lab::Needs::sm_80,
     .peer = false,
     .variants = {},
     .blocks_host = true,
     .prepare = prepare}};

}  // namespace
