// The element types a tensor of a case may have. Device code uses CUDA's own types with the same
// bits.
#pragma once

#include <cstdint>
#include <string_view>

namespace lab {

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

std::string_view name_of(Dtype dtype);

}  // namespace lab
