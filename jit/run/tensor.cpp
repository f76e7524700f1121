#include "jit/run/tensor.hpp"

#include "base/refuse.hpp"

namespace aisp::jit {

Tensor::Tensor(const void* at, Element of, Extents sizes, Extents steps, bool may_be_written)
    : data(at), element(of), writable(may_be_written), rank(static_cast<int>(sizes.size())) {
  if (sizes.size() < 1 || sizes.size() > most_axes)
    base::refuse(base::Exit::usage, "a tensor has 1 to ", most_axes, " axes: got ", sizes.size());
  if (steps.size() != 0 && steps.size() != sizes.size())
    base::refuse(base::Exit::usage, "a tensor of ", sizes.size(), " axes has as many strides: got ",
                 steps.size());
  const auto axes = sizes.size();
  for (std::size_t axis = 0; axis < axes; ++axis) {
    extents[axis] = sizes.begin()[axis];
    if (extents[axis] < 0)
      base::refuse(base::Exit::usage, "axis ", axis, " of a tensor has ", extents[axis],
                   " elements; it has 0 or more");
  }
  for (std::size_t axis = axes; axis-- > 0;)
    strides[axis] = steps.size() != 0  ? steps.begin()[axis]
                    : axis + 1 == axes ? 1
                                       : strides[axis + 1] * extents[axis + 1];
}

// A stride along one element moves nothing.
bool contiguous(const Tensor& tensor) {
  const auto last = static_cast<std::size_t>(tensor.rank - 1);
  return tensor.strides[last] == 1 || tensor.extents[last] <= 1;
}

int alignment(const Tensor& tensor) {
  std::uint64_t steps = reinterpret_cast<std::uintptr_t>(tensor.data);
  const auto bytes = static_cast<std::uint64_t>(bytes_of(tensor.element));
  for (int axis = 0; axis + 1 < tensor.rank; ++axis) {
    const auto at = static_cast<std::size_t>(axis);
    if (tensor.extents[at] > 1) steps |= static_cast<std::uint64_t>(tensor.strides[at]) * bytes;
  }
  return steps % 16 == 0 ? 16 : static_cast<int>(bytes);
}

TensorFacts facts_of(const Tensor& tensor) {
  return {tensor.element,
          {tensor.extents.begin(), tensor.extents.begin() + tensor.rank},
          contiguous(tensor),
          alignment(tensor)};
}

}  // namespace aisp::jit
