// What the rungs with bulk copies need beside them.
#pragma once

#include "tile/arch/bulk_copy.cuh"

namespace aisp::ch10 {

using tile::arch::bulk_load;
using tile::arch::has_bulk_copies;

// What ordinary stores wrote to global memory, by this thread or by threads it has met, becomes
// visible to the copies that it asks for.
TILE_DEVICE void fence_async_global() { asm volatile("fence.proxy.async.global;" ::: "memory"); }

}  // namespace aisp::ch10
