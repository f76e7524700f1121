#include "lab/case/dtype.hpp"

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

}  // namespace lab
