// The number formats of tensors and of values, and what rounding to one of them does.
#pragma once

#include <string_view>

namespace aisp::jit {

// tf32 exists in registers alone, as what a matrix unit makes of f32; boolean is what comparisons
// give.
enum class Element { f32, f16, bf16, tf32, e4m3, e5m2, s8, s32, boolean };

std::string_view name_of(Element element);
constexpr int bytes_of(Element element) {  // every call asks for each tensor
  switch (element) {
    case Element::f32:
    case Element::tf32:
    case Element::s32:
      return 4;
    case Element::f16:
    case Element::bf16:
      return 2;
    default:
      return 1;
  }
}
bool is_integer(Element element);  // s8, s32
bool in_tensors(Element element);  // what memory can hold: neither tf32 nor boolean

// What a store and a load again make of the number, as the hardware does it: to nearest even; fp8
// and the integers saturate, the others go to infinity; NaN as an integer is 0.
double rounded(Element element, double value);

// What `to` makes of the number: as rounded(), but s32 drops the fraction, as in C++.
double converted(Element element, double value);

// What a loaded element is computed with: f32, or s32 for s32.
Element widened(Element element);

}  // namespace aisp::jit
