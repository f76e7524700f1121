// How the number of chains and the recipe decide what a graph of small products takes: the choice
// behind chapters/ch11/tensor_cores_streams/one_graph.cpp. Medians of 31 with a cold L2, beside one
// launch of the library's batch.
//   build/bin/product_chains [products M N K]        64 512 512 512
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>

#include "chapters/ch11/tensor_cores_streams/product_graph.hpp"
#include "lab/case/registry.hpp"

using namespace aisp;

namespace {

using namespace ch11::products;
using lab::check_cuda;

constexpr int samples = 31;
constexpr std::size_t flush_bytes = std::size_t{256} << 20;  // more than any L2

void* device_memory(std::size_t bytes) {
  void* memory = nullptr;
  check_cuda(cudaMalloc(&memory, bytes), "cudaMalloc");
  return memory;
}

// Random numbers: the matrix unit draws less power on equal ones and runs faster.
const void* random_matrices(const lab::Tensor& what, std::uint32_t stream) {
  const auto values = lab::random_tensor(what, 1, stream);
  void* memory = device_memory(values.data.size());
  check_cuda(cudaMemcpy(memory, values.data.data(), values.data.size(), cudaMemcpyHostToDevice),
             "inputs");
  return memory;
}

double median_us(cudaStream_t stream, void* flushed, const std::function<void()>& run) {
  const ch11::Event begin(ch11::Event::Kind::times), end(ch11::Event::Kind::times);
  std::vector<double> times;
  for (int i = -5; i < samples; ++i) {
    check_cuda(cudaMemsetAsync(flushed, i & 255, flush_bytes, stream), "flush");
    begin.record(stream);
    run();
    end.record(stream);
    check_cuda(cudaStreamSynchronize(stream), "run");
    if (i >= 0) times.push_back(1000 * end.milliseconds_since(begin));
  }
  std::nth_element(times.begin(), times.begin() + samples / 2, times.end());
  return times[samples / 2];
}

void measure(const lab::Problem& problem) {
  const lab::Launch launch{
      problem,
      {random_matrices(problem.inputs[0], 0), random_matrices(problem.inputs[1], 1)},
      {device_memory(static_cast<std::size_t>(problem.outputs[0].tensor.bytes()))}};
  const ch11::Stream stream("measured");
  void* flushed = device_memory(flush_bytes);
  const PlannedRun batched = plan_alone(batch_of(launch));
  std::printf("batched                      %8.2f us\n",
              median_us(stream.get(), flushed, [&] { batched(stream.get()); }));
  for (const std::string recipe :
       {"ping_pong_128x128", "ping_pong_128x128_pair", "cooperative_128x256",
        "cooperative_128x256_pair", "cooperative_128x64", "single_64x128", "multistage_128x128"}) {
    const auto runs = plan_each(launch, [&](const GemmProblem& product) -> PlannedRun {
      const auto plan = tile::device::plan_gemm(product, {recipe, {.raster = {.group = 1}}});
      return [plan](cudaStream_t on) { plan.run(on); };
    });
    for (const int chains : {1, 2, 4, 8, 16, 32, 64}) {
      const ch11::SideStreams streams("chain", chains);
      const ProductGraph graph(runs, streams, After::end), early(runs, streams, After::begin);
      const double as_graph = median_us(stream.get(), flushed, [&] { graph.launch(stream.get()); });
      const double as_early = median_us(stream.get(), flushed, [&] { early.launch(stream.get()); });
      const double as_streams =
          median_us(stream.get(), flushed, [&] { run_side_by_side(runs, streams, stream.get()); });
      std::printf("%-20s chains %2d  graph %8.2f us  early %8.2f us  streams %8.2f us\n",
                  recipe.c_str(), chains, as_graph, as_early, as_streams);
    }
  }
}

}  // namespace

int main(int count, char** words) {
  try {
    lab::Size size{"", {64, 512, 512, 512}};
    for (int i = 1; i < count && i <= 4; ++i)
      size.dims[static_cast<std::size_t>(i - 1)] = std::atoll(words[i]);
    measure(lab::select_targets("ch11:tensor_cores_streams").at(0).target->problem(size));
    return 0;
  } catch (const std::exception& problem) {
    std::fprintf(stderr, "%s\n", problem.what());
    return 1;
  }
}
