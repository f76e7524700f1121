#include "lab/case/tensor.hpp"

#include <algorithm>

#include "base/parallel.hpp"
#include "lab/case/element.hpp"
#include "lab/case/random.hpp"

namespace aisp::lab {

std::string coordinate(const std::vector<std::int64_t>& shape, std::int64_t index) {
  std::vector<std::int64_t> at(shape.size());
  for (std::size_t axis = shape.size(); axis-- > 0;) {
    at[axis] = index % shape[axis];
    index /= shape[axis];
  }
  std::string text = "(";
  for (std::size_t axis = 0; axis < at.size(); ++axis)
    text += (axis == 0 ? "" : ", ") + std::to_string(at[axis]);
  return text + ")";
}

namespace {

// One call of the generator makes four elements; a range of calls is one thread's work.
template <class Element>
void fill_uniform(HostTensor& tensor, std::uint64_t seed, std::uint32_t stream) {
  const std::int64_t count = tensor.what.count();
  const double low = tensor.what.values.low, width = tensor.what.values.high - low;
  std::byte* data = tensor.data.data();
  base::parallel_ranges((count + 3) / 4, [=](std::int64_t first, std::int64_t last) {
    for (std::int64_t call = first; call < last; ++call) {
      const Philox4 bits = philox(seed, stream, static_cast<std::uint64_t>(call));
      const int here = static_cast<int>(std::min<std::int64_t>(4, count - 4 * call));
      for (int i = 0; i < here; ++i) {
        const double value = low + width * unit_interval(bits[static_cast<std::size_t>(i)]);
        store_element<Element>(data, 4 * call + i, value);
      }
    }
  });
}

}  // namespace

HostTensor random_tensor(const Tensor& what, std::uint64_t seed, std::uint32_t stream) {
  HostTensor tensor{what, std::vector<std::byte>(static_cast<std::size_t>(what.bytes()))};
  with_element(what.dtype, [&]<class Element>() { fill_uniform<Element>(tensor, seed, stream); });
  return tensor;
}

}  // namespace aisp::lab
