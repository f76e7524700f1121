#include "tests/jit/support/memory.hpp"

#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstring>
#include <random>

#include "base/number/format.hpp"
#include "base/refuse.hpp"

namespace aisp::jit::testing {

static void check_memory(cudaError_t error, const char* call) {
  if (error != cudaSuccess)
    base::refuse(base::Exit::environment, call, ": ", cudaGetErrorString(error));
}

static std::uint32_t encoded(Element element, double value) {
  switch (element) {
    case Element::f32:
      return base::encode<base::f32>(value);
    case Element::f16:
      return base::encode<base::f16>(value);
    case Element::bf16:
      return base::encode<base::bf16>(value);
    case Element::e4m3:
      return base::encode<base::e4m3>(value);
    case Element::e5m2:
      return base::encode<base::e5m2>(value);
    default:
      return static_cast<std::uint32_t>(static_cast<std::int32_t>(value));
  }
}

static double decoded(Element element, std::uint32_t code) {
  switch (element) {
    case Element::f32:
      return base::decode<base::f32>(code);
    case Element::f16:
      return base::decode<base::f16>(code);
    case Element::bf16:
      return base::decode<base::bf16>(code);
    case Element::e4m3:
      return base::decode<base::e4m3>(code);
    case Element::e5m2:
      return base::decode<base::e5m2>(code);
    case Element::s8:
      return static_cast<signed char>(code);
    default:
      return static_cast<std::int32_t>(code);
  }
}

std::vector<std::int64_t> strides(const std::vector<std::int64_t>& extents, Lying lying) {
  std::vector<std::int64_t> result(extents.size(), 1);
  for (std::size_t axis = extents.size() - 1; axis-- > 0;)
    result[axis] =
        result[axis + 1] * extents[axis + 1] + (axis + 2 == extents.size() ? lying.gap : 0);
  return result;
}

HostTensor random_tensor(Element element, std::vector<std::int64_t> extents, unsigned seed) {
  std::mt19937 random(seed);
  HostTensor tensor{std::move(extents), {}};
  std::int64_t size = 1;
  for (const std::int64_t extent : tensor.extents) size *= extent;
  for (std::int64_t at = 0; at < size; ++at) {
    const double uniform = static_cast<double>(random() >> 8) * 0x1p-23 - 1.0;
    tensor.values.push_back(rounded(element, is_integer(element) ? uniform * 9 : uniform * 2));
  }
  return tensor;
}

HostTensor special_tensor(Element element, std::vector<std::int64_t> extents, unsigned seed) {
  HostTensor tensor = random_tensor(element, std::move(extents), seed);
  std::mt19937 random(seed + 1);
  for (double& value : tensor.values)
    if (random() % 2 == 0)
      value = rounded(element, special_numbers[random() % special_numbers.size()]);
  return tensor;
}

Memory::Memory(Element element, const HostTensor& host, Lying lying)
    : element_(element), extents_(host.extents), steps_(strides(host.extents, lying)) {
  const auto width = static_cast<std::size_t>(bytes_of(element));
  first_ = static_cast<std::size_t>(lying.offset) * width;
  std::size_t size = first_ + width;
  for (std::size_t axis = 0; axis < extents_.size(); ++axis)
    size +=
        static_cast<std::size_t>((std::max<std::int64_t>(extents_[axis], 1) - 1) * steps_[axis]) *
        width;
  before_.assign(size, 0xff);
  for (std::size_t at = 0; at < host.values.size(); ++at) {
    const std::uint32_t code = encoded(element, host.values[at]);
    std::memcpy(before_.data() + place(static_cast<std::int64_t>(at)), &code, width);
  }
  check_memory(cudaMalloc(reinterpret_cast<void**>(&memory_), size), "cudaMalloc");
  check_memory(cudaMemcpy(memory_, before_.data(), size, cudaMemcpyHostToDevice), "cudaMemcpy");
}

Memory::~Memory() { cudaFree(memory_); }

Memory::Memory(Memory&& other) noexcept
    : element_(other.element_),
      extents_(std::move(other.extents_)),
      steps_(std::move(other.steps_)),
      before_(std::move(other.before_)),
      memory_(other.memory_),
      first_(other.first_) {
  other.memory_ = nullptr;
}

std::size_t Memory::place(std::int64_t at) const {
  std::int64_t offset = 0;
  for (std::size_t axis = extents_.size(); axis-- > 0; at /= extents_[axis])
    offset += at % extents_[axis] * steps_[axis];
  return first_ + static_cast<std::size_t>(offset) * static_cast<std::size_t>(bytes_of(element_));
}

Tensor Memory::tensor() const {
  switch (extents_.size()) {
    case 1:
      return {data(), element_, {extents_[0]}, {steps_[0]}};
    case 2:
      return {data(), element_, {extents_[0], extents_[1]}, {steps_[0], steps_[1]}};
    default:
      return {data(),
              element_,
              {extents_[0], extents_[1], extents_[2]},
              {steps_[0], steps_[1], steps_[2]}};
  }
}

std::vector<unsigned char> Memory::bytes_now() const {
  std::vector<unsigned char> bytes(before_.size());
  check_memory(cudaMemcpy(bytes.data(), memory_, bytes.size(), cudaMemcpyDeviceToHost),
               "cudaMemcpy");
  return bytes;
}

std::vector<double> Memory::values() const {
  const std::vector<unsigned char> bytes = bytes_now();
  std::int64_t size = 1;
  for (const std::int64_t extent : extents_) size *= extent;
  std::vector<double> result;
  for (std::int64_t at = 0; at < size; ++at) {
    std::uint32_t code = 0;
    std::memcpy(&code, bytes.data() + place(at), static_cast<std::size_t>(bytes_of(element_)));
    result.push_back(decoded(element_, code));
  }
  return result;
}

std::string Memory::written_outside() const {
  const std::vector<unsigned char> bytes = bytes_now();
  std::vector<bool> ours(bytes.size());
  std::int64_t size = 1;
  for (const std::int64_t extent : extents_) size *= extent;
  for (std::int64_t at = 0; at < size; ++at)
    std::fill_n(ours.begin() + static_cast<std::ptrdiff_t>(place(at)), bytes_of(element_), true);
  for (std::size_t at = 0; at < bytes.size(); ++at)
    if (!ours[at] && bytes[at] != 0xff)
      return base::say("was written outside of its elements, byte ", at);
  return "";
}

}  // namespace aisp::jit::testing
