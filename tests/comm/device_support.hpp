// Arrays of either type in device memory, filled and compared on the host.
#pragma once

#include <gtest/gtest.h>

#include <bit>
#include <functional>
#include <vector>

#include "comm/communicator.hpp"
#include "comm/cuda.hpp"

namespace aisp::tests {

class Array {
 public:
  using Values = std::function<float(std::int64_t)>;

  // All NaN.
  Array(int device, comm::Dtype type, std::int64_t count)
      : device_(device), type_(type), count_(count), memory_(device, bytes()) {
    const comm::OnDevice on(device);
    clear(nullptr);
    comm::check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
  }
  Array(int device, comm::Dtype type, std::int64_t count, const Values& values)
      : Array(device, type, count) {
    std::vector<char> host(bytes());
    for (std::int64_t i = 0; i < count; ++i) {
      const auto bits = std::bit_cast<std::uint32_t>(values(i));
      if (type == comm::Dtype::f32)
        reinterpret_cast<std::uint32_t*>(host.data())[i] = bits;
      else
        reinterpret_cast<std::uint16_t*>(host.data())[i] = static_cast<std::uint16_t>(bits >> 16);
    }
    comm::check(cudaMemcpy(memory_.get(), host.data(), host.size(), cudaMemcpyHostToDevice), "in");
  }

  char* get() const { return memory_.get(); }
  void clear(cudaStream_t stream) const {
    const comm::OnDevice on(device_);
    comm::check(cudaMemsetAsync(memory_.get(), 0xff, bytes(), stream), "clear");
  }
  // A copy of what is there at this point of the stream; the array is all NaN from then on.
  Array taken(cudaStream_t stream) const {
    Array copy(device_, type_, count_);
    comm::check(cudaMemcpyAsync(copy.get(), get(), bytes(), cudaMemcpyDeviceToDevice, stream),
                "take");
    clear(stream);
    return copy;
  }

  void expect(const Values& values) const {
    std::vector<char> host(bytes());
    comm::check(cudaMemcpy(host.data(), memory_.get(), host.size(), cudaMemcpyDeviceToHost), "out");
    for (std::int64_t i = 0; i < count_; ++i) {
      const std::uint32_t bits =
          type_ == comm::Dtype::f32
              ? reinterpret_cast<const std::uint32_t*>(host.data())[i]
              : std::uint32_t{reinterpret_cast<const std::uint16_t*>(host.data())[i]} << 16;
      ASSERT_EQ(std::bit_cast<float>(bits), values(i)) << "element " << i << " of " << count_;
    }
  }

 private:
  std::size_t bytes() const { return static_cast<std::size_t>(count_ * comm::bytes_of(type_)); }

  int device_;
  comm::Dtype type_;
  std::int64_t count_;
  comm::Memory memory_;
};

}  // namespace aisp::tests
