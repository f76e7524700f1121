#include "sim/exec/image/cube.hpp"

#include <algorithm>
#include <cmath>

namespace aisp::sim {
namespace {

// The direction of the place (s, t), from -1 to 1, of a face: the inverse of place_on_cube.
void direction_of(std::uint32_t face, float s, float t, float* direction) {
  const float sign = face % 2 == 0 ? 1.0f : -1.0f;
  switch (face / 2) {
    case 0:
      direction[0] = sign;
      direction[1] = -t;
      direction[2] = -sign * s;
      break;
    case 1:
      direction[0] = s;
      direction[1] = sign;
      direction[2] = sign * t;
      break;
    default:
      direction[0] = sign * s;
      direction[1] = -t;
      direction[2] = sign;
  }
}

}  // namespace

CubePlace place_on_cube(float x, float y, float z) {
  const float ax = std::fabs(x), ay = std::fabs(y), az = std::fabs(z);
  std::uint32_t face = 0;
  float s = 0, t = 0, most = 0;
  if (az >= ax && az >= ay) {
    face = z < 0 ? 5 : 4;
    s = z < 0 ? -x : x;
    t = -y;
    most = az;
  } else if (ay >= ax) {
    face = y < 0 ? 3 : 2;
    s = x;
    t = y < 0 ? -z : z;
    most = ay;
  } else {
    face = x < 0 ? 1 : 0;
    s = x < 0 ? z : -z;
    t = -y;
    most = ax;
  }
  return {face, (s / most + 1.0f) / 2.0f, (t / most + 1.0f) / 2.0f};
}

CubeTexel over_the_edge(CubeTexel texel, std::uint32_t size) {
  const auto last = static_cast<std::int64_t>(size) - 1;
  const bool beside = texel.x < 0 || texel.x > last;
  if (beside) texel.y = std::clamp<std::int64_t>(texel.y, 0, last);
  if (!beside && texel.y >= 0 && texel.y <= last) return texel;
  const auto centre = [&](std::int64_t at) {
    return (2.0f * static_cast<float>(at) + 1.0f) / static_cast<float>(size) - 1.0f;
  };
  float direction[3];
  direction_of(texel.face, centre(texel.x), centre(texel.y), direction);
  const CubePlace place = place_on_cube(direction[0], direction[1], direction[2]);
  const auto index = [&](float at) {
    return std::clamp<std::int64_t>(
        static_cast<std::int64_t>(std::floor(at * static_cast<float>(size))), 0, last);
  };
  return {place.face, index(place.s), index(place.t)};
}

}  // namespace aisp::sim
