// A tensor of the C interface, looked at: what it holds, where, and as the library's own types.
#pragma once

#include <array>
#include <initializer_list>
#include <string>
#include <vector>

#include "binding/c/aisp.h"
#include "tile/device/attention/problem.hpp"
#include "tile/device/gemm/problem.hpp"

namespace aisp::binding {

// "a (64, 32) bf16" in messages; refuses what is no tensor in a CUDA device's memory.
class Tensor {
 public:
  // `what` is the call, `name` the argument; `ranks` are those that it may have.
  Tensor(const char* what, const char* name, const aisp_tensor* tensor,
         std::initializer_list<int> ranks);

  int rank() const { return static_cast<int>(shape_.size()); }
  // From the front; from the back where `at` is negative.
  std::int64_t extent(int at) const { return shape_[index(at)]; }
  std::int64_t stride(int at) const { return strides_[index(at)]; }
  const std::vector<std::int64_t>& extents() const { return shape_; }
  const std::vector<std::int64_t>& strides() const { return strides_; }
  std::int64_t count() const { return count_; }
  void* data() const { return data_; }
  int device() const { return device_; }
  tile::Element element() const { return element_; }  // f32, never tf32

  // Refuses another type, or extents other than these.
  const Tensor& holds(std::initializer_list<tile::Element> elements) const;
  const Tensor& has(std::initializer_list<std::int64_t> extents) const;
  // ... or gaps between its elements.
  const Tensor& without_gaps() const;

  // Of the last two indices; of a third one the batch. `transposed` exchanges the two.
  tile::device::Matrix matrix(bool transposed = false) const;
  // (batch, heads, rows, size)
  tile::device::HeadTensor heads() const;

  std::string text() const;  // "a (64, 32) bf16"

 private:
  std::size_t index(int at) const { return static_cast<std::size_t>(at < 0 ? rank() + at : at); }
  void take_strides(const aisp_tensor& given);
  void take_data(const aisp_tensor& given);
  // Refuses more bytes than an int64_t counts, with gaps and without.
  void count_bytes();

  const char *what_, *name_;
  void* data_ = nullptr;
  int device_ = 0;
  tile::Element element_ = tile::Element::f32;
  std::int64_t count_ = 0;
  std::vector<std::int64_t> shape_, strides_;
};

// The device that all of them are on; refuses where they are not on one. Null: there is no such
// tensor.
int device_of(const char* what, std::initializer_list<const Tensor*> tensors);

// Refuses a result with two elements in one place, or in the memory of another tensor of the call.
// Null: there is no such tensor.
void admit_result(const char* what, const Tensor& result,
                  std::initializer_list<const Tensor*> others);

// The same elements in the same places.
bool is_same(const Tensor& a, const Tensor& b);

}  // namespace aisp::binding
