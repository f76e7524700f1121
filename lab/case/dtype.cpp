#include "lab/case/dtype.hpp"

#include "lab/case/element.hpp"

namespace lab {

std::string_view name_of(Dtype dtype) {
  switch (dtype) {
    case Dtype::f64:
      return "f64";
    case Dtype::f32:
      return "f32";
    case Dtype::f16:
      return "f16";
    case Dtype::bf16:
      return "bf16";
    case Dtype::e4m3:
      return "e4m3";
    case Dtype::e5m2:
      return "e5m2";
    case Dtype::i32:
      return "i32";
    case Dtype::i8:
      return "i8";
    case Dtype::u8:
      return "u8";
  }
  return "?";
}

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

}  // namespace lab
