// Kernels and device variables of these tests, as the host-side symbols that the runtime knows them
// by.
#pragma once

namespace kernels {

const void* add();             // (int* to, const int* from, int count): to[i] += from[i]
const void* fill_with_mark();  // (int* to, int count): to[i] = the device's `mark`
const void* copy_in_bulk();    // (char* to, const char* from): 64 bytes through shared memory
const void* large_shared();    // (int* to): dynamic shared memory
const void* count_up();        // (): the managed variable grows by one

const void* mark_variable();  // __device__ int, 7
int& managed_variable();      // __managed__ int, 100

}  // namespace kernels
