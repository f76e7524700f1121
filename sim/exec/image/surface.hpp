// Where lanes of a surface instruction find their bytes.
#pragma once

#include "sim/exec/image/form.hpp"
#include "sim/machine/access.hpp"

namespace aisp::sim {

// Takes .1d and so on; `layers`: the layered geometries too.
ImageShape take_surface_geometry(Binding& binding, bool layers);
SurfaceBounds take_bounds(Binding& binding);

struct SurfacePlace {
  std::byte* at[lanes];
  Mask inside = 0;  // lanes that have a place; the others lie outside and .zero lets them
};

// Lanes of one object. Throws Fault; tells who looks on, before memory is touched.
SurfacePlace locate_surface(Warp& warp, const Op& op, Mask mask, const TexelImage& image,
                            const SurfaceForm& form, const AccessForm& access);

}  // namespace aisp::sim
