#include "lab/case/case.hpp"

namespace lab {

std::string_view name_of(Unit unit) {
  switch (unit) {
    case Unit::none:
      return "";
    case Unit::fma_f32:
      return "f32 FMA";
    case Unit::fma_f16:
      return "f16 FMA";
    case Unit::matrix_tf32:
      return "tf32 matrix";
    case Unit::matrix_bf16:
      return "bf16 matrix";
    case Unit::matrix_fp8:
      return "fp8 matrix";
  }
  return "?";
}

std::string_view name_of(Needs needs) {
  switch (needs) {
    case Needs::host:
      return "host";
    case Needs::sm_80:
      return "sm_80";
    case Needs::sm_90:
      return "sm_90";
    case Needs::sm_90a:
      return "sm_90a";
    case Needs::sm_100a:
      return "sm_100a";
  }
  return "?";
}

bool runs_on(Needs needs, int major, int minor) {
  switch (needs) {
    case Needs::host:
      return true;
    case Needs::sm_80:
      return major >= 8;
    case Needs::sm_90:
      return major >= 9;
    case Needs::sm_90a:
      return major == 9 && minor == 0;
    case Needs::sm_100a:
      return major == 10 && minor == 0;
  }
  return false;
}

std::string Size::label() const {
  std::string text = variant;
  const char* separator = variant.empty() ? "" : " ";
  for (const auto extent : dims) {
    text += separator + std::to_string(extent);
    separator = "x";
  }
  return text;
}

}  // namespace lab
