// Kernels and device variables of these tests, as the host-side symbols that the runtime knows them
// by.
#pragma once

struct Triple {
  int x, y, z;
};

namespace kernels {

const void* store_index();    // (int* out, int count): out[i] = i + offset_variable
const void* store_bounded();  // the same with __launch_bounds__(128)
const void* store_mixed();    // (char, double, Triple, float* out): out[0..4] = the values
const void* static_shared();  // (int* out): 40960 bytes of static shared memory
const void* read_at();        // (const int* from, long long index, int* out): out[0] = from[index]
const void* spin();           // (int rounds, int* out): a chain of that length, then one store
const void* spin_early();     // the same; lets dependents launch first
const void* add_to();         // (int* at, int amount): *at += amount
const void* decide();         // (cudaGraphConditionalHandle handle, const unsigned* value)
const void* count_down();     // (cudaGraphConditionalHandle handle, int* left): while there is some

const void* offset_variable();    // __device__ int, 3
const void* table_variable();     // __device__ int[10], zeros
const void* constant_variable();  // __constant__ float[4]: 1, 2, 3, 4
int& managed_variable();          // __managed__ int, 7

// <<<...>>> launches.
void launch_store_index(int* out, int count, int blocks, int threads);
void launch_managed_increment();

}  // namespace kernels
