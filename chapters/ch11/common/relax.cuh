// The step of relax.hpp on the device.
#pragma once

#include "chapters/ch11/common/relax.hpp"

namespace aisp::ch11 {

__device__ inline float relax_step(float y, float drive, float linear) {
  const float pull = fmaf(-y, fmaf(y, y, linear), drive);
  return fmaf(static_cast<float>(relax_rate), pull, y);
}

}  // namespace aisp::ch11
