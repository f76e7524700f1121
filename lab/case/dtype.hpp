// The element types a tensor of a case may have. Device code uses CUDA's own types with the same
// bits.
#pragma once

#include <cstdint>

#include "lab/case/names.hpp"

namespace aisp::lab {

enum class Dtype { f64, f32, f16, bf16, e4m3, e5m2, i32, i8, u8 };

constexpr std::int64_t bytes_of(Dtype dtype) {
  switch (dtype) {
    case Dtype::f64:
      return 8;
    case Dtype::f32:
    case Dtype::i32:
      return 4;
    case Dtype::f16:
    case Dtype::bf16:
      return 2;
    case Dtype::e4m3:
    case Dtype::e5m2:
    case Dtype::i8:
    case Dtype::u8:
      return 1;
  }
  return 0;
}

constexpr auto names_of(Dtype) {
  return std::to_array<Name<Dtype>>({{Dtype::f64, "f64"},
                                     {Dtype::f32, "f32"},
                                     {Dtype::f16, "f16"},
                                     {Dtype::bf16, "bf16"},
                                     {Dtype::e4m3, "e4m3"},
                                     {Dtype::e5m2, "e5m2"},
                                     {Dtype::i32, "i32"},
                                     {Dtype::i8, "i8"},
                                     {Dtype::u8, "u8"}});
}

}  // namespace aisp::lab
