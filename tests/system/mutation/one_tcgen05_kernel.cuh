// One product by one Blackwell kernel, as one_kernel.cuh for Hopper's: launched twice on a device
// so small that each block has several tiles and goes round its ring more than twice.
#pragma once

#include "tests/tile/kernels/blackwell_check.cuh"

namespace aisp::mutation_test {

using namespace gemm_test;
using tile::Sm100Config;
using tile::Sm100Recipe;

template <class Recipe>
int run_tcgen05(Size size) {
  Tcgen05Product<Recipe> product(size);
  product.run("the kernel");
  check("product", size, product.a, product.b, product.d);
  std::puts("ok");
  return 0;
}

}  // namespace aisp::mutation_test
