// The element types at compile time, for loops over millions of elements that choose the type once:
//   with_element(dtype, [&]<class Element>() { ... Element::read(bits) ... });
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>

#include "base/number/format.hpp"
#include "lab/case/dtype.hpp"

namespace aisp::lab {

// `Stored` is what lies in memory; read and write turn it into a double and back.
template <class Number, base::Format element_format>
struct NativeElement {
  using Stored = Number;
  static constexpr base::Format format = element_format;
  static constexpr bool integer = false;
  static constexpr double largest = std::numeric_limits<Number>::max();
  static constexpr double read(Stored stored) { return stored; }
  static constexpr Stored write(double value) { return static_cast<Stored>(value); }
  static constexpr double ulp(double value) { return base::ulp(format, value); }
};

template <class Code, base::Format element_format>
struct CodedElement {
  using Stored = Code;
  static constexpr base::Format format = element_format;
  static constexpr bool integer = false;
  static constexpr double largest = base::largest<format>;
  static constexpr double read(Stored stored) { return base::decode<format>(stored); }
  static constexpr Stored write(double value) {
    return static_cast<Stored>(base::encode<format>(value));
  }
  static constexpr double ulp(double value) { return base::ulp(format, value); }
};

// Integers round to nearest even and saturate; NaN becomes 0.
template <class Number>
struct IntegerElement {
  using Stored = Number;
  static constexpr base::Format format{};
  static constexpr bool integer = true;
  static constexpr double largest = std::numeric_limits<Number>::max();
  static constexpr double read(Stored stored) { return stored; }
  static Stored write(double value) {
    if (std::isnan(value)) return 0;
    constexpr double lowest = std::numeric_limits<Number>::min();
    return static_cast<Stored>(std::clamp(std::nearbyint(value), lowest, largest));
  }
  static constexpr double ulp(double) { return 1.0; }
};

template <class Body>
decltype(auto) with_element(Dtype dtype, Body&& body) {
  switch (dtype) {
    case Dtype::f64:
      return body.template operator()<NativeElement<double, base::f64>>();
    case Dtype::f32:
      return body.template operator()<NativeElement<float, base::f32>>();
    case Dtype::f16:
      return body.template operator()<CodedElement<std::uint16_t, base::f16>>();
    case Dtype::bf16:
      return body.template operator()<CodedElement<std::uint16_t, base::bf16>>();
    case Dtype::e4m3:
      return body.template operator()<CodedElement<std::uint8_t, base::e4m3>>();
    case Dtype::e5m2:
      return body.template operator()<CodedElement<std::uint8_t, base::e5m2>>();
    case Dtype::i32:
      return body.template operator()<IntegerElement<std::int32_t>>();
    case Dtype::i8:
      return body.template operator()<IntegerElement<std::int8_t>>();
    case Dtype::u8:
      break;
  }
  return body.template operator()<IntegerElement<std::uint8_t>>();
}

// Bytes carry no alignment, so elements are copied out of and into them.
template <class Element>
double load_element(const std::byte* data, std::int64_t index) {
  typename Element::Stored stored;
  std::memcpy(&stored, data + index * static_cast<std::int64_t>(sizeof stored), sizeof stored);
  return Element::read(stored);
}

template <class Element>
void store_element(std::byte* data, std::int64_t index, double value) {
  const typename Element::Stored stored = Element::write(value);
  std::memcpy(data + index * static_cast<std::int64_t>(sizeof stored), &stored, sizeof stored);
}

}  // namespace aisp::lab
