#include "jit/ir/element.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/number/format.hpp"

namespace aisp::jit {

namespace {

struct ElementRow {
  std::string_view name;
  double (*rounded)(double);
};

// Integers have one zero: adding +0 takes the sign off the other.
double round_to_integer(double value, double least, double most) {
  if (std::isnan(value)) return 0.0;
  return std::clamp(std::nearbyint(value), least, most) + 0.0;
}

constexpr std::array<ElementRow, 9> element_rows{{
    {"f32", base::rounded_to<base::f32>},
    {"f16", base::rounded_to<base::f16>},
    {"bf16", base::rounded_to<base::bf16>},
    {"tf32", base::rounded_to<base::tf32>},
    {"e4m3", base::rounded_to<base::e4m3>},
    {"e5m2", base::rounded_to<base::e5m2>},
    {"s8", [](double value) { return round_to_integer(value, -128, 127); }},
    {"s32", [](double value) { return round_to_integer(value, -0x1p31, 0x1p31 - 1); }},
    {"bool", [](double value) { return value != 0.0 ? 1.0 : 0.0; }},
}};

const ElementRow& row_of(Element element) { return element_rows[static_cast<int>(element)]; }

}  // namespace

std::string_view name_of(Element element) { return row_of(element).name; }
bool is_integer(Element element) { return element == Element::s8 || element == Element::s32; }
bool in_tensors(Element element) { return element != Element::tf32 && element != Element::boolean; }
double rounded(Element element, double value) { return row_of(element).rounded(value); }
double converted(Element element, double value) {
  return rounded(element, element == Element::s32 ? std::trunc(value) : value);
}
Element widened(Element element) { return element == Element::s32 ? Element::s32 : Element::f32; }

}  // namespace aisp::jit
