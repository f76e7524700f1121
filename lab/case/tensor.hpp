// A tensor of a case: what it is called, its type and shape, how its random values are drawn,
// and its bytes on the host.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "lab/case/element_access.hpp"

namespace aisp::lab {

// Values are drawn uniformly from [low, high] and rounded to the tensor's type.
struct Uniform {
  double low = -1.0;
  double high = 1.0;
};

// Where a tensor's bytes lie when a rung gets them. Pinned host memory is where copies over the
// host's link start and end: a case that is about such copies asks for it.
enum class Memory { device, pinned };

struct Tensor {
  std::string name;
  Dtype dtype = Dtype::f32;
  std::vector<std::int64_t> shape{};
  Uniform values{};  // inputs only
  Memory memory = Memory::device;

  std::int64_t count() const {
    std::int64_t product = 1;
    for (const auto extent : shape) product *= extent;
    return product;
  }
  std::int64_t bytes() const { return count() * bytes_of(dtype); }
};

// "(2, 17)" for element `index` of a row-major tensor of that shape.
std::string coordinate(const std::vector<std::int64_t>& shape, std::int64_t index);

struct HostTensor {
  Tensor what;
  std::vector<std::byte> data;

  double operator[](std::int64_t index) const {
    return read_element(what.dtype, data.data(), index);
  }
  template <class T>
  std::span<const T> as() const {
    return {reinterpret_cast<const T*>(data.data()), data.size() / sizeof(T)};
  }
};

// The tensor filled by the counter-based generator: element i depends on (seed, stream, i) alone.
HostTensor random_tensor(const Tensor& what, std::uint64_t seed, std::uint32_t stream);

}  // namespace aisp::lab
