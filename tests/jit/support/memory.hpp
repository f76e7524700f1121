// Tensors in device memory for tests: numbers by element type, gaps and what lies around them.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "jit/ir/interpret.hpp"
#include "jit/run/tensor.hpp"

namespace aisp::jit::testing {

// How a tensor lies in memory: `offset` elements behind an aligned address, `gap` elements behind
// each row.
struct Lying {
  int offset = 0, gap = 0;
};

// Strides in elements of a tensor that lies so.
std::vector<std::int64_t> strides(const std::vector<std::int64_t>& extents, Lying lying);

// One tensor in memory of its own; gaps hold NaN and must stay what they are.
class Memory {
 public:
  Memory(Element element, const HostTensor& host, Lying lying = {});
  ~Memory();
  Memory(Memory&& other) noexcept;
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;

  Tensor tensor() const;
  Element element() const { return element_; }
  const std::vector<std::int64_t>& extents() const { return extents_; }
  const std::vector<std::int64_t>& steps() const { return steps_; }
  void* data() const { return memory_ + first_; }

  std::vector<double> values() const;  // what is there now, row-major
  // The byte outside of the elements that was written, or nothing.
  std::string written_outside() const;

 private:
  std::size_t place(std::int64_t at) const;  // in bytes
  std::vector<unsigned char> bytes_now() const;

  Element element_;
  std::vector<std::int64_t> extents_, steps_;
  std::vector<unsigned char> before_;
  unsigned char* memory_ = nullptr;
  std::size_t first_ = 0;
};

// Numbers of [-2, 2), integers of [-9, 9], rounded to the element.
HostTensor random_tensor(Element element, std::vector<std::int64_t> extents, unsigned seed);

// What programs get wrong first: NaN, infinities, zeros of both signs, subnormal and huge numbers.
inline constexpr std::array<double, 14> special_numbers{std::numeric_limits<double>::quiet_NaN(),
                                                        std::numeric_limits<double>::infinity(),
                                                        -std::numeric_limits<double>::infinity(),
                                                        -0.0,
                                                        0.0,
                                                        -0.0,
                                                        0.0,
                                                        0x1p-149,
                                                        -0x1p-130,
                                                        0x1p-126,
                                                        -0x1.8p100,
                                                        0x1p127,
                                                        1.0,
                                                        -2.5};
// Half of the numbers are such, as far as the element has them.
HostTensor special_tensor(Element element, std::vector<std::int64_t> extents, unsigned seed);

}  // namespace aisp::jit::testing
