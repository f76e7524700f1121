// Texture and surface objects: descriptions judged as the runtime judges them, and kept for those
// who ask for them again. All throw ApiError.
#pragma once

#include <cstdint>

#include "sim/runtime/state/cuda.hpp"

namespace aisp::sim {

struct TextureDescription {
  cudaResourceDesc resource{};
  cudaTextureDesc texture{};
  cudaResourceViewDesc view{};
  bool has_view = false;
  int device = 0;
};

std::uint64_t make_texture(const cudaResourceDesc& resource, const cudaTextureDesc& texture,
                           const cudaResourceViewDesc* view);
std::uint64_t make_surface(const cudaResourceDesc& resource);
const TextureDescription& texture_of(std::uint64_t handle);
const TextureDescription& surface_of(std::uint64_t handle);
// What uses it has been waited for.
void release_texture(std::uint64_t handle);
void release_surface(std::uint64_t handle);

}  // namespace aisp::sim
