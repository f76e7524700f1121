// The file of synchronisation records of this process.
#pragma once

#include "sim/watch/sync/sync_file.hpp"

namespace aisp::sim {

watch::SyncFile* sync_file();  // null: AISP_SIM_SYNC is not set; never destroyed

}  // namespace aisp::sim
