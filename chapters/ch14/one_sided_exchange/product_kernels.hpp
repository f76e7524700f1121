// A rank's share of a product whose k is cut into slices: every tile of C over its own slice, and
// the sum over all ranks for the rows that are its own.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

#include "chapters/ch14/one_sided_exchange/shape.hpp"

namespace aisp::ch14 {

// Of each rank, as all ranks see it.
struct ProductRank {
  float* slots = nullptr;          // (ranks, most rows, n): what the ranks bring for its rows
  std::uint32_t* flags = nullptr;  // (ranks, tiles): 1 when that tile of that rank is in its slot
  int first_tile_row = 0, end_tile_row = 0;
};

struct ProductArguments {
  const void *a = nullptr, *b = nullptr;  // (m, slice), (n, slice), bf16
  float* partial = nullptr;               // (m, n): where it is not put anywhere else
  float* result = nullptr;                // (own rows, n)
  int m = 0, n = 0, slice = 0, m_tiles = 0, n_tiles = 0;
  int rank = 0, ranks = 0;
  std::int64_t slot_stride = 0;  // floats of a rank's slot
  ProductRank of[most_ranks];
};

// Loads the kernels on the current device and lets them have their shared memory.
void prepare_product_kernels();

// All tiles over the own slice: into `partial`, or each into its owner's slot.
void enqueue_partial(const ProductArguments& arguments, bool puts, cudaStream_t stream);
// result = the sum of the own slots, in the order of the ranks.
void enqueue_sum_of_slots(const ProductArguments& arguments, cudaStream_t stream);

// Both in one kernel of at most `blocks` blocks: tiles of others first, each put and signalled; own
// tiles last, added to what the others have signalled. All ranks' kernels have to be on their
// devices at the same time.
void enqueue_put_and_sum(const ProductArguments& arguments, int blocks, cudaStream_t stream);
const void* put_and_sum_kernel();
int product_threads();
std::size_t product_shared_bytes();

}  // namespace aisp::ch14
