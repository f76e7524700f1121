// Texture and surface objects.
#include "sim/runtime/memory/texture.hpp"

#include "sim/cudart/entry.hpp"
#include "sim/runtime/stream/submit.hpp"

using namespace aisp;

using sim::api;
using sim::require;
using sim::Runtime;
using sim::surface_of;
using sim::texture_of;

cudaError_t cudaCreateTextureObject(cudaTextureObject_t* texture, const cudaResourceDesc* resource,
                                    const cudaTextureDesc* description,
                                    const cudaResourceViewDesc* view) {
  return api([&](Runtime&) {
    require(texture != nullptr && resource != nullptr && description != nullptr);
    *texture = sim::make_texture(*resource, *description, view);
    return cudaSuccess;
  });
}

// Kernels under way may still use it: they run first. 0 is no object, and no error.
cudaError_t cudaDestroyTextureObject(cudaTextureObject_t texture) {
  return api([&](Runtime&) {
    if (texture == 0) return cudaSuccess;
    require(sim::wait_device(texture_of(texture).device));
    sim::release_texture(texture);
    return cudaSuccess;
  });
}

cudaError_t cudaGetTextureObjectResourceDesc(cudaResourceDesc* resource,
                                             cudaTextureObject_t texture) {
  return api([&](Runtime&) {
    require(resource != nullptr);
    *resource = texture_of(texture).resource;
    return cudaSuccess;
  });
}

cudaError_t cudaGetTextureObjectTextureDesc(cudaTextureDesc* description,
                                            cudaTextureObject_t texture) {
  return api([&](Runtime&) {
    require(description != nullptr);
    *description = texture_of(texture).texture;
    return cudaSuccess;
  });
}

cudaError_t cudaGetTextureObjectResourceViewDesc(cudaResourceViewDesc* view,
                                                 cudaTextureObject_t texture) {
  return api([&](Runtime&) {
    require(view != nullptr);
    const auto& known = texture_of(texture);
    if (known.has_view) *view = known.view;  // where there is none it stays as it was
    return cudaSuccess;
  });
}

cudaError_t cudaCreateSurfaceObject(cudaSurfaceObject_t* surface,
                                    const cudaResourceDesc* resource) {
  return api([&](Runtime&) {
    require(surface != nullptr && resource != nullptr);
    *surface = sim::make_surface(*resource);
    return cudaSuccess;
  });
}

cudaError_t cudaDestroySurfaceObject(cudaSurfaceObject_t surface) {
  return api([&](Runtime&) {
    if (surface == 0) return cudaSuccess;
    require(sim::wait_device(surface_of(surface).device));
    sim::release_surface(surface);
    return cudaSuccess;
  });
}

cudaError_t cudaGetSurfaceObjectResourceDesc(cudaResourceDesc* resource,
                                             cudaSurfaceObject_t surface) {
  return api([&](Runtime&) {
    require(resource != nullptr);
    *resource = surface_of(surface).resource;
    return cudaSuccess;
  });
}
