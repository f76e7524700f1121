// The bind functions behind copy_rows(), by the file that holds them.
#pragma once

#include "sim/program/binding.hpp"

namespace sim {

// copy_store.cpp
void bind_st_async(Binding& b);
void bind_red_async(Binding& b);
// bulk.cpp
void bind_bulk_copy(Binding& b);
void bind_bulk_reduce(Binding& b);
void bind_bulk_prefetch(Binding& b);
void bind_bulk_commit(Binding& b);
void bind_bulk_wait(Binding& b);
// tensor_copy_run.cpp
void bind_tensor_copy(Binding& b);
void bind_tensor_reduce(Binding& b);
void bind_tensor_prefetch(Binding& b);
// tensor_map_edit.cpp
void bind_tensormap_replace(Binding& b);
void bind_tensormap_cp_fenceproxy(Binding& b);

}  // namespace sim
