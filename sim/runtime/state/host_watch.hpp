// The host's side of the hazard checker, for this process.
#pragma once

#include "sim/watch/host/host_watch.hpp"

namespace aisp::sim {

watch::HostWatch* host_watch();  // null: nobody asked for it; never destroyed

}  // namespace aisp::sim
