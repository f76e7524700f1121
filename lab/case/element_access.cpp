#include "lab/case/element_access.hpp"

#include "lab/case/element.hpp"

namespace aisp::lab {

int fraction_bits(Dtype dtype) {
  return with_element(dtype, []<class Element>() { return Element::format.fraction_bits; });
}

double ulp_at(Dtype dtype, double value) {
  return with_element(dtype, [=]<class Element>() { return Element::ulp(value); });
}

double read_element(Dtype dtype, const std::byte* data, std::int64_t index) {
  return with_element(dtype, [=]<class Element>() { return load_element<Element>(data, index); });
}

void write_element(Dtype dtype, std::byte* data, std::int64_t index, double value) {
  with_element(dtype, [=]<class Element>() { store_element<Element>(data, index, value); });
}

}  // namespace aisp::lab
