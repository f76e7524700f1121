#include "jit/run/ready.hpp"

#include <limits>

#include "base/refuse.hpp"

namespace aisp::jit {
namespace {

constexpr std::size_t without_asking = 48 << 10;

// One parameter of the kernel: the address, the extents, the strides.
using Words = std::array<std::int64_t, 1 + 2 * most_axes>;

void write(const Tensor& tensor, Words& words) {
  const auto rank = static_cast<std::size_t>(tensor.rank);
  words[0] = static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(tensor.data));
  for (std::size_t axis = 0; axis < rank; ++axis) {
    words[1 + axis] = tensor.extents[axis];
    words[1 + rank + axis] = tensor.strides[axis];
  }
}

}  // namespace

Ready::Ready(LaunchPlan plan, Guard guard, const Compiled& compiled)
    : plan_(std::move(plan)),
      guard_(std::move(guard)),
      admission_(*plan_.function, *plan_.traced, plan_.arrays, plan_.in_place),
      grid_(*plan_.function),
      module_(plan_.program, compiled),
      symbol_(reinterpret_cast<const void*>(module_.kernel(plan_.kernel).handle())) {
  for (const BoundArray& array : plan_.arrays)
    counts_.push_back(static_cast<std::int64_t>(array.count));
  if (static_cast<std::size_t>(plan_.shared_bytes) > without_asking)
    refuse_runtime(cudaFuncSetAttribute(symbol_, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                        plan_.shared_bytes),
                   base::say(plan_.program, ": ", plan_.shared_bytes, " bytes of shared memory"));
}

std::int64_t Ready::admit(std::span<const Tensor> tensors) const {
  admission_.admit(tensors);
  const std::int64_t blocks = grid_.blocks(tensors, counts_);
  if (blocks > std::numeric_limits<std::int32_t>::max())
    base::refuse(base::Exit::usage, plan_.program, ": ", blocks, " blocks; a launch has at most ",
                 std::numeric_limits<std::int32_t>::max(), ": give each more elements");
  before_.keep(tensors, blocks);
  return blocks;
}

void Ready::launch(cudaStream_t stream, std::span<const Tensor> tensors) const {
  enqueue(stream, tensors, admit(tensors));
}

bool Ready::repeat(cudaStream_t stream, std::span<const Tensor> tensors, std::uint32_t architecture,
                   std::uint32_t choices) const {
  if (!guard_.is_for(architecture, choices)) return false;
  const auto blocks = before_.blocks(tensors);
  if (blocks) enqueue(stream, tensors, *blocks);
  return blocks.has_value();
}

void Ready::enqueue(cudaStream_t stream, std::span<const Tensor> tensors,
                    std::int64_t blocks) const {
  if (blocks == 0) return;
  std::array<Words, most_tensors + most_arrays> words;
  std::array<void*, most_tensors + most_arrays> pointers;
  std::size_t count = 0;
  for (const Tensor& tensor : tensors) {
    write(tensor, words[count]);
    pointers[count] = words[count].data();
    ++count;
  }
  for (std::size_t at = 0; at < plan_.arrays.size(); ++at, ++count) {
    words[count] = {
        static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(plan_.arrays[at].data)),
        counts_[at], 1};
    pointers[count] = words[count].data();
  }
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(static_cast<unsigned>(blocks));
  config.blockDim = dim3(static_cast<unsigned>(plan_.threads));
  config.dynamicSmemBytes = static_cast<std::size_t>(plan_.shared_bytes);
  config.stream = stream;
  const cudaError_t error = cudaLaunchKernelExC(&config, symbol_, pointers.data());
  if (error != cudaSuccess)
    refuse_runtime(error, base::say(plan_.program, ": launch of ", plan_.kernel, " with ", blocks,
                                    " blocks of ", plan_.threads, " threads and ",
                                    plan_.shared_bytes, " bytes of shared memory"));
}

}  // namespace aisp::jit
