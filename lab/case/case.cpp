#include "lab/case/case.hpp"

namespace aisp::lab {

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

}  // namespace aisp::lab
