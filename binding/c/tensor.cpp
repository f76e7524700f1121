#include "binding/c/tensor.hpp"

#include <algorithm>
#include <cstdlib>
#include <optional>

#include "base/refuse.hpp"
#include "jit/run/overlap.hpp"

namespace aisp::binding {
namespace {

using base::Exit;
using base::refuse;
using base::say;
using tile::Element;

constexpr int cuda_device = 2;

struct NamedType {
  int code, bits;
  Element element;
};
constexpr NamedType types[] = {
    {4, 16, Element::bf16}, {2, 16, Element::f16}, {2, 32, Element::f32}, {10, 8, Element::e4m3},
    {12, 8, Element::e5m2}, {0, 8, Element::s8},   {0, 32, Element::s32}};

std::optional<Element> element_of(const aisp_tensor& tensor) {
  for (const auto& type : types)
    if (type.code == tensor.code && type.bits == tensor.bits && tensor.lanes == 1)
      return type.element;
  return std::nullopt;
}

std::string in_brackets(const std::vector<std::int64_t>& numbers) {
  std::string text = "(";
  for (std::size_t at = 0; at < numbers.size(); ++at) text += say(at == 0 ? "" : ", ", numbers[at]);
  return text + ")";
}

}  // namespace

Tensor::Tensor(const char* what, const char* name, const aisp_tensor* tensor,
               std::initializer_list<int> ranks)
    : what_(what), name_(name) {
  if (tensor == nullptr) refuse(Exit::usage, what, ": ", name, " is missing");
  const auto& given = *tensor;
  if (given.device_type != cuda_device)
    refuse(Exit::usage, what, ": ", name, " is not in a CUDA device's memory (DLPack device type ",
           given.device_type, "); move it there");
  const auto element = element_of(given);
  if (!element)
    refuse(Exit::usage, what, ": ", name, " has DLPack type (", int{given.code}, ", ",
           int{given.bits}, ") x ", given.lanes,
           "; bf16, f16, f32, e4m3, e5m2, s8 and s32 are taken");
  if (std::find(ranks.begin(), ranks.end(), given.ndim) == ranks.end()) {
    std::string wanted;
    for (const int rank : ranks) wanted += say(wanted.empty() ? "" : " or ", rank);
    refuse(Exit::usage, what, ": ", name, " has ", given.ndim, " dimensions, not ", wanted);
  }
  element_ = *element;
  device_ = given.device_id;
  const auto dimensions = static_cast<std::size_t>(given.ndim);
  if (dimensions > 0 && given.shape == nullptr)
    refuse(Exit::usage, what, ": ", name, " has ", given.ndim,
           " dimensions and no shape; give its extents");
  shape_.assign(given.shape, given.shape + dimensions);
  for (const std::int64_t extent : shape_)
    if (extent < 0)
      refuse(Exit::usage, what, ": ", name, " has the negative extents ", in_brackets(shape_));
  take_strides(given);
  count_bytes();
  take_data(given);
}

void Tensor::take_strides(const aisp_tensor& given) {
  strides_.assign(shape_.size(), 1);
  if (given.strides != nullptr) {
    strides_.assign(given.strides, given.strides + shape_.size());
    for (std::size_t at = 0; at < shape_.size(); ++at)
      if (strides_[at] < 0 && shape_[at] > 1)
        refuse(Exit::usage, what_, ": ", text(), " has the negative strides ",
               in_brackets(strides_), "; copy it");
    return;
  }
  // What does not fit is refused by count_bytes().
  for (std::size_t at = shape_.size(); at-- > 1;)
    if (__builtin_mul_overflow(strides_[at], std::max<std::int64_t>(1, shape_[at]),
                               &strides_[at - 1]))
      strides_[at - 1] = 0;
}

void Tensor::count_bytes() {
  const std::int64_t width = bytes_of(element_);
  std::int64_t dense = width, span = width;  // an extent of 0 is left out: the others must fit too
  bool overflow = false, empty = false;
  for (std::size_t at = 0; at < shape_.size(); ++at) {
    empty |= shape_[at] == 0;
    if (shape_[at] == 0) continue;
    std::int64_t step = 0;
    overflow |= __builtin_mul_overflow(dense, shape_[at], &dense);
    if (shape_[at] == 1) continue;  // there is no step to a neighbour
    overflow |= __builtin_mul_overflow(strides_[at], width, &step);
    overflow |= __builtin_mul_overflow(step, shape_[at] - 1, &step);
    overflow |= __builtin_add_overflow(span, step, &span);
  }
  if (overflow)
    refuse(Exit::usage, what_, ": ", text(), " with strides ", in_brackets(strides_),
           " has more than 9223372036854775807 bytes; cut the problem");
  count_ = empty ? 0 : dense / width;
}

void Tensor::take_data(const aisp_tensor& given) {
  if (given.data == nullptr) {
    if (count_ > 0) refuse(Exit::usage, what_, ": ", name_, " has no data");
    return;
  }
  data_ = static_cast<char*>(given.data) + given.byte_offset;
  const auto width = static_cast<std::uintptr_t>(bytes_of(element_));
  if (const auto off = reinterpret_cast<std::uintptr_t>(data_) % width; off != 0)
    refuse(Exit::usage, what_, ": ", text(), " starts ", off, " bytes behind a multiple of ", width,
           "; its elements have ", width,
           " bytes each, and its address must be a multiple of that");
}

std::string Tensor::text() const {
  return say(name_, " ", in_brackets(shape_), " ", name_of(element_));
}

const Tensor& Tensor::holds(std::initializer_list<Element> elements) const {
  if (std::find(elements.begin(), elements.end(), element_) != elements.end()) return *this;
  std::string wanted;
  for (const Element element : elements)
    wanted += say(wanted.empty() ? "" : " or ", name_of(element));
  refuse(Exit::usage, what_, ": ", text(), " must be ", wanted);
}

const Tensor& Tensor::has(std::initializer_list<std::int64_t> extents) const {
  const std::vector<std::int64_t> wanted(extents);
  if (shape_ != wanted) refuse(Exit::usage, what_, ": ", text(), " must be ", in_brackets(wanted));
  return *this;
}

const Tensor& Tensor::without_gaps() const {
  std::int64_t next = 1;
  for (std::size_t at = shape_.size(); at-- > 0; next *= shape_[at])
    if (shape_[at] > 1 && strides_[at] != next)
      refuse(Exit::usage, what_, ": ", text(), " has strides ", in_brackets(strides_),
             ", it must be without gaps; make it contiguous");
  return *this;
}

tile::device::Matrix Tensor::matrix(bool transposed) const {
  const int row = transposed ? -1 : -2, column = transposed ? -2 : -1;
  const std::int64_t rows = extent(row), columns = extent(column);
  tile::device::Matrix matrix{.data = data_, .element = element_};
  if (rank() == 3 && extent(0) > 1) matrix.batch_stride = stride(0);
  // A single line has no neighbour: its distance is one that suits the kernels.
  const auto line = [&](std::int64_t lines, std::int64_t length, std::int64_t apart) {
    const std::int64_t step = 16 / bytes_of(element_);
    return lines > 1 ? apart : (length + step - 1) / step * step;
  };
  if (stride(column) == 1 || columns <= 1) {
    matrix.major = tile::Major::k;
    matrix.stride = line(rows, columns, stride(row));
  } else if (stride(row) == 1 || rows <= 1) {
    matrix.major = tile::Major::mn;
    matrix.stride = line(columns, rows, stride(column));
  } else {
    refuse(Exit::usage, what_, ": ", text(), " has strides ", in_brackets(strides_),
           ", one of the last two must be 1; make it contiguous");
  }
  return matrix;
}

tile::device::HeadTensor Tensor::heads() const {
  if (count_ == 0)  // whose strides mean nothing
    return {.data = data_, .element = element_, .row_stride = extent(3)};
  if (stride(3) != 1)
    refuse(Exit::usage, what_, ": ", text(), " has strides ", in_brackets(strides_),
           ", the last must be 1; make it contiguous");
  return {.data = data_,
          .element = element_,
          .row_stride = extent(2) > 1 ? stride(2) : extent(3),
          .head_stride = extent(1) > 1 ? stride(1) : 0,
          .batch_stride = extent(0) > 1 ? stride(0) : 0};
}

int device_of(const char* what, std::initializer_list<const Tensor*> tensors) {
  const Tensor& first = **tensors.begin();  // there is always one
  for (const Tensor* one : tensors)
    if (one != nullptr && one->device() != first.device())
      refuse(Exit::usage, what, ": ", first.text(), " is on device ", first.device(), ", ",
             one->text(), " on device ", one->device(), "; move them to one");
  return first.device();
}

namespace {

jit::StridedBytes bytes_of_tensor(const Tensor& tensor) {
  return {reinterpret_cast<std::uintptr_t>(tensor.data()), bytes_of(tensor.element()),
          tensor.extents(), tensor.strides()};
}

}  // namespace

void admit_result(const char* what, const Tensor& result,
                  std::initializer_list<const Tensor*> others) {
  if (result.count() == 0) return;
  const jit::StridedBytes written = bytes_of_tensor(result);
  if (overlaps_itself(written))
    refuse(Exit::usage, what, ": ", result.text(), " has strides ", in_brackets(result.strides()),
           ": several of its elements would be written to one place; give each its own");
  for (const Tensor* one : others) {
    if (one == nullptr || one->count() == 0 || !overlap(written, bytes_of_tensor(*one))) continue;
    const auto apart = static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(one->data()) -
                                                 reinterpret_cast<std::uintptr_t>(result.data()));
    refuse(Exit::usage, what, ": ", result.text(), " is written, and shares memory with ",
           one->text(), ", which starts ", std::abs(apart), " bytes ",
           apart < 0 ? "before" : "behind", " it; give the result memory of its own");
  }
}

bool is_same(const Tensor& a, const Tensor& b) {
  if (a.data() != b.data() || a.element() != b.element() || a.extents() != b.extents())
    return false;
  for (int at = 0; at < a.rank(); ++at)
    if (a.extent(at) > 1 && a.stride(at) != b.stride(at)) return false;
  return true;
}

}  // namespace aisp::binding
