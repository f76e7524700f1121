#include "sim/runtime/memory/array_limits.hpp"

#include "sim/runtime/state/device.hpp"
#include "sim/runtime/state/runtime.hpp"

namespace aisp::sim {
namespace {

constexpr unsigned modelled_flags =
    cudaArrayLayered | cudaArraySurfaceLoadStore | cudaArrayCubemap | cudaArrayTextureGather;

// In the order of ImageShape; 0: no such dimension.
struct Limits {
  ImageShape shape;
  cudaDeviceAttr texture[3], surface[3];
};
constexpr auto none = static_cast<cudaDeviceAttr>(0);
constexpr Limits limits[] = {
    {ImageShape::d1,
     {cudaDevAttrMaxTexture1DWidth, none, none},
     {cudaDevAttrMaxSurface1DWidth, none, none}},
    {ImageShape::d2,
     {cudaDevAttrMaxTexture2DWidth, cudaDevAttrMaxTexture2DHeight, none},
     {cudaDevAttrMaxSurface2DWidth, cudaDevAttrMaxSurface2DHeight, none}},
    {ImageShape::d3,
     {cudaDevAttrMaxTexture3DWidth, cudaDevAttrMaxTexture3DHeight, cudaDevAttrMaxTexture3DDepth},
     {cudaDevAttrMaxSurface3DWidth, cudaDevAttrMaxSurface3DHeight, cudaDevAttrMaxSurface3DDepth}},
    {ImageShape::layers_1d,
     {cudaDevAttrMaxTexture1DLayeredWidth, none, cudaDevAttrMaxTexture1DLayeredLayers},
     {cudaDevAttrMaxSurface1DLayeredWidth, none, cudaDevAttrMaxSurface1DLayeredLayers}},
    {ImageShape::layers_2d,
     {cudaDevAttrMaxTexture2DLayeredWidth, cudaDevAttrMaxTexture2DLayeredHeight,
      cudaDevAttrMaxTexture2DLayeredLayers},
     {cudaDevAttrMaxSurface2DLayeredWidth, cudaDevAttrMaxSurface2DLayeredHeight,
      cudaDevAttrMaxSurface2DLayeredLayers}},
    {ImageShape::cube,
     {cudaDevAttrMaxTextureCubemapWidth, cudaDevAttrMaxTextureCubemapWidth, none},
     {cudaDevAttrMaxSurfaceCubemapWidth, cudaDevAttrMaxSurfaceCubemapWidth, none}},
    {ImageShape::layers_cube,
     {cudaDevAttrMaxTextureCubemapLayeredWidth, cudaDevAttrMaxTextureCubemapLayeredWidth,
      cudaDevAttrMaxTextureCubemapLayeredLayers},
     {cudaDevAttrMaxSurfaceCubemapLayeredWidth, cudaDevAttrMaxSurfaceCubemapLayeredWidth,
      cudaDevAttrMaxSurfaceCubemapLayeredLayers}},
};

void require_size(std::size_t size, cudaDeviceAttr attribute, int device) {
  if (attribute == none) return;
  const int most = attribute_of(Runtime::get().model, attribute, device);
  require(size <= static_cast<std::size_t>(most));
}

}  // namespace

ImageShape shape_of(const cudaExtent& extent, unsigned flags) {
  if ((flags & (cudaArraySparse | cudaArrayDeferredMapping)) != 0) {
    Runtime::get().note_once("sparse and deferred-mapping arrays are not supported");
    throw ApiError{cudaErrorNotSupported};
  }
  require((flags & ~modelled_flags) == 0 && extent.width != 0);
  const bool layered = (flags & cudaArrayLayered) != 0;
  if ((flags & cudaArrayCubemap) != 0) {
    require(extent.width == extent.height);
    require(layered ? extent.depth != 0 && extent.depth % 6 == 0 : extent.depth == 6);
    return layered ? ImageShape::layers_cube : ImageShape::cube;
  }
  if (layered) {
    require(extent.depth != 0);
    return extent.height == 0 ? ImageShape::layers_1d : ImageShape::layers_2d;
  }
  if (extent.depth != 0) {
    require(extent.height != 0);
    return ImageShape::d3;
  }
  return extent.height == 0 ? ImageShape::d1 : ImageShape::d2;
}

void require_within_limits(ImageShape shape, const cudaExtent& extent, unsigned flags, int device) {
  const std::size_t sizes[3] = {extent.width, extent.height, extent.depth};
  const bool surface = (flags & cudaArraySurfaceLoadStore) != 0;
  for (const Limits& row : limits) {
    if (row.shape != shape) continue;
    for (int i = 0; i < 3; ++i) {
      require_size(sizes[i], row.texture[i], device);
      if (surface) require_size(sizes[i], row.surface[i], device);
    }
  }
  if ((flags & cudaArrayTextureGather) == 0) return;
  require(shape == ImageShape::d2);
  require_size(extent.width, cudaDevAttrMaxTexture2DGatherWidth, device);
  require_size(extent.height, cudaDevAttrMaxTexture2DGatherHeight, device);
}

}  // namespace aisp::sim
