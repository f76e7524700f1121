// The bind functions behind async_rows(), by the file that holds them.
#pragma once

#include "sim/program/binding.hpp"

namespace aisp::sim {

// lane_store.cpp
void bind_st_async(Binding& b);
void bind_red_async(Binding& b);
// bulk.cpp
void bind_bulk_copy(Binding& b);
void bind_bulk_reduce(Binding& b);
void bind_bulk_prefetch(Binding& b);
void bind_bulk_commit(Binding& b);
void bind_bulk_wait(Binding& b);
// launch_control.cpp
void bind_try_cancel(Binding& b);
void bind_query_cancel(Binding& b);
// tma_bind.cpp
void bind_tma_copy(Binding& b);
void bind_tma_reduce(Binding& b);
void bind_tma_prefetch(Binding& b);
// tensormap.cpp
void bind_tensormap_replace(Binding& b);
void bind_tensormap_cp_fenceproxy(Binding& b);

}  // namespace aisp::sim
