// Cubemaps: from a direction to a face and a place on it, and over the edges of a face.
#pragma once

#include <cstdint>

namespace aisp::sim {

struct CubePlace {
  std::uint32_t face = 0;  // +x, -x, +y, -y, +z, -z
  float s = 0, t = 0;      // 0 to 1
};
CubePlace place_on_cube(float x, float y, float z);

// A texel beside its face: the one of the neighbouring face that meets it there. At a corner, where
// three faces meet, the texel is first moved back along t.
struct CubeTexel {
  std::uint32_t face = 0;
  std::int64_t x = 0, y = 0;
};
CubeTexel over_the_edge(CubeTexel texel, std::uint32_t size);

}  // namespace aisp::sim
