// Products of different sizes in one launch, each with tensor maps in global memory.
#include <memory>

#include "tests/system/mutation/one_kernel.cuh"
#include "tile/device/gemm/grouped.cuh"

using namespace aisp;

namespace {

using namespace mutation_test;

constexpr Sm90Config config{.tile_n = 112, .tile_k = 32, .stages = 3};
struct Recipe : tile::Sm90GroupedRecipe<config, tile::Accumulator> {};

}  // namespace

int main() {
  const Size sizes[] = {{250, 200, 96}, {250, 120, 152}, {130, 200, 200}};
  std::vector<std::unique_ptr<Operands>> products;
  std::vector<tile::device::GemmProblem> problems;
  for (const Size& size : sizes) {
    products.push_back(std::make_unique<Operands>(config, size));
    problems.push_back(products.back()->problem());
  }
  const auto launch = tile::device::plan_grouped<Recipe>(problems, {}, {}, device_memory);
  launch(nullptr);
  launch(nullptr);
  require(cudaDeviceSynchronize(), "the kernel");
  for (const auto& product : products) {
    product->d.download();
    check("product", product->size, product->a, product->b, product->d);
  }
  std::puts("ok");
  return 0;
}
