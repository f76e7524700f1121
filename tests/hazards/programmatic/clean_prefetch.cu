// hazard: none
// Every kernel of a chain lets go at once and reads, before its wait, only what no kernel of the
// chain writes.
#include "tests/hazards/programmatic/chain.cuh"

namespace {

__global__ void add(int* values, const int* weights) {
  chain::let_go();
  const int i = chain::index();
  const int weight = weights[i];
  chain::wait();
  values[i] += weight;
}

bool run() {
  const host::Stream stream;
  const hazard::Array<int> weights(std::vector<int>(host::count, 3));
  hazard::Array<int> values(host::count);
  const int* in = weights.get();
  for (int i = 0; i < 4; ++i) chain::launch(stream, add, values.get(), in);
  hazard::finish();
  return values.holds([](int) { return 12; });
}

const hazard::Program program(__FILE__, run);

}  // namespace
