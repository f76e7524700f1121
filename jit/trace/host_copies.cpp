#include <cuda_runtime_api.h>

#include <cstdint>
#include <cstring>

#include "base/refuse.hpp"
#include "jit/trace/tensors.hpp"

namespace aisp::jit {

namespace {

thread_local const HostCopies* current_copies = nullptr;

template <class T>
std::vector<double> copy_of(const BoundArray& array) {
  std::vector<T> copy(array.count);
  const cudaError_t error =
      cudaMemcpy(copy.data(), array.data, array.count * sizeof(T), cudaMemcpyDefault);
  if (error == cudaErrorInsufficientDriver || error == cudaErrorNoDevice)
    std::memcpy(copy.data(), array.data, array.count * sizeof(T));  // no memory but the host's
  else if (error != cudaSuccess)
    base::refuse(base::Exit::environment, "copy of an array of ", array.count,
                 " elements: ", cudaGetErrorString(error));
  return {copy.begin(), copy.end()};
}

}  // namespace

HostCopies::HostCopies(const std::vector<Parameter>& parameters,
                       const std::vector<BoundArray>& arrays) {
  const std::size_t tensors = parameters.size() - arrays.size();
  for (std::size_t at = 0; at < arrays.size(); ++at) {
    const Element element = parameters[tensors + at].element;
    copies_.emplace_back(arrays[at].data, element == Element::f32 ? copy_of<float>(arrays[at])
                                          : element == Element::s32
                                              ? copy_of<std::int32_t>(arrays[at])
                                              : copy_of<signed char>(arrays[at]));
  }
}

HostCopies::Reading::Reading(const HostCopies& copies) : outer_(current_copies) {
  current_copies = &copies;
}
HostCopies::Reading::~Reading() { current_copies = outer_; }

namespace detail {

Number copied(const BoundArray& array, Element element, const Number& index) {
  const Element widens = widened(element);
  const std::vector<double>* copy = nullptr;
  if (current_copies != nullptr)
    for (const auto& [data, values] : current_copies->copies_)
      if (data == array.data && values.size() >= array.count) copy = &values;
  if (copy == nullptr)
    base::refuse(base::Exit::usage, "an array of ", array.count,
                 " elements is read with numbers, and nobody has copied it");
  const double at = index.value();
  if (!(at >= 0 && at < static_cast<double>(array.count))) return {0.0, widens};
  return {(*copy)[static_cast<std::size_t>(at)], widens};
}

}  // namespace detail
}  // namespace aisp::jit
