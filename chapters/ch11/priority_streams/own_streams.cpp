// Requests have streams of their own beside the bulk work, which is as far as one gets without
// priorities: their blocks stand in line behind the blocks of products that came first.
#include "chapters/ch11/priority_streams/load.hpp"
#include "lab/case/registry.hpp"

using namespace aisp;

namespace {

lab::Run prepare(lab::Setup& setup) { return ch11::prepare_load(setup, {}); }

const lab::RungEntry entry{
    "ch11:priority_streams",
    {.name = "own_streams",
     .step = 0,
     .builds_on = "",
     .idea = "requests on streams of their own, all of one priority",
     .look_at = "a request waits until a product has no blocks left to start",
     .needs = lab::Needs::sm_80,
     .peer = false,
     .variants = {},
     .blocks_host = true,
     .prepare = prepare}};

}  // namespace
