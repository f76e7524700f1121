#include "jit/run/ready.hpp"

#include <limits>

#include "base/refuse.hpp"

namespace aisp::jit {
namespace {

constexpr std::int64_t most_elements = 2'000'000'000;  // of an axis: kernels count in 32 bits
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
      grid_(*plan_.function),
      module_(plan_.program, compiled),
      symbol_(reinterpret_cast<const void*>(module_.kernel(plan_.kernel).handle())) {
  for (const Parameter& parameter : plan_.function->parameters)
    written_.push_back(parameter.role == Parameter::Role::output);
  if (static_cast<std::size_t>(plan_.shared_bytes) > without_asking)
    refuse_runtime(cudaFuncSetAttribute(symbol_, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                        plan_.shared_bytes),
                   base::say(plan_.program, ": ", plan_.shared_bytes, " bytes of shared memory"));
}

void Ready::admit(std::span<const Tensor> tensors) const {
  for (std::size_t at = 0; at < tensors.size(); ++at) {
    const Tensor& tensor = tensors[at];
    bool empty = false;
    for (int axis = 0; axis < tensor.rank; ++axis) {
      const std::int64_t extent = tensor.extents[static_cast<std::size_t>(axis)];
      empty = empty || extent == 0;
      if (extent > most_elements)
        base::refuse(base::Exit::usage, plan_.program, ": axis ", axis, " of tensor ", at, " has ",
                     extent, " elements; a program counts to ", most_elements,
                     ": cut the tensor into several calls");
    }
    if (empty) continue;
    if (tensor.data == nullptr)
      base::refuse(base::Exit::usage, plan_.program, ": tensor ", at, " is a null pointer");
    const auto bytes = static_cast<std::uintptr_t>(bytes_of(tensor.element));
    if (reinterpret_cast<std::uintptr_t>(tensor.data) % bytes != 0)
      base::refuse(base::Exit::usage, plan_.program, ": tensor ", at, " lies at ", tensor.data,
                   ", which is no multiple of the ", bytes, " bytes of ", name_of(tensor.element));
    if (written_[at] && !tensor.writable)
      base::refuse(base::Exit::usage, plan_.program, ": tensor ", at,
                   " is written and its pointer is to const");
  }
}

void Ready::launch(cudaStream_t stream, std::span<const Tensor> tensors) const {
  admit(tensors);
  const std::int64_t blocks = grid_.blocks(tensors, plan_.counts);
  if (blocks == 0) return;
  if (blocks > std::numeric_limits<std::int32_t>::max())
    base::refuse(base::Exit::usage, plan_.program, ": ", blocks, " blocks; a launch has at most ",
                 std::numeric_limits<std::int32_t>::max(), ": give each more elements");
  std::array<Words, most_tensors + most_arrays> words;
  std::array<void*, most_tensors + most_arrays> pointers;
  std::size_t count = 0;
  for (const Tensor& tensor : tensors) {
    write(tensor, words[count]);
    pointers[count] = words[count].data();
    ++count;
  }
  for (std::size_t at = 0; at < plan_.arrays.size(); ++at, ++count) {
    words[count] = {static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(plan_.arrays[at])),
                    plan_.counts[at], 1};
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
